import { Command } from 'commander';
import type { Tx } from '../db/pool.ts';
import { readDeviceSecret, readLinkSecret, storeOwnSecrets } from '../keys/own_secrets.ts';
import { resealClientSecrets } from '../oidc/issuers.ts';
import { readApiSecretsKeys, readStoringSecrets } from '../settings/command_settings.ts';
import { resealEndpointSecrets } from '../webhooks/endpoints.ts';
import {
  type CommonOptions,
  printResult,
  readCommand,
  runChange,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from './command.ts';

export function secretsCommand(): Command {
  return new Command('secrets')
    .description('keys that encrypt, and the secrets that are stored in the database')
    .addCommand(resealCommand())
    .addCommand(apiKeyCommand());
}

function apiKeyCommand(): Command {
  const description = 'print the API_SECRETS_KEY of the api, which is derived from SECRETS_KEY';
  return readCommand('api-key', description, 'secrets api-key').action((options: CommonOptions) => {
    const [apiSecretsKey = ''] = readApiSecretsKeys(process.env);
    printResult(options, { api_secrets_key: apiSecretsKey }, apiSecretsKey);
  });
}

function resealCommand(): Command {
  const description =
    'encrypt all stored secrets with the current SECRETS_KEY, DEVICE_SECRET and LINK_SECRET; the *_PREVIOUS settings open them';
  return writeCommand('reseal', description, 'secrets reseal').action((options: WriteOptions) =>
    withDatabase(async ({ pool }) => {
      const config = readStoringSecrets(process.env);
      const counts = await runChange(pool, options, async (tx) => ({
        webhooks: await resealEndpointSecrets(tx, config.secretsKeys),
        organizations: await resealOrganizations(tx, config),
        issuers: await resealClientSecrets(tx, readApiSecretsKeys(process.env)),
      }));
      const text = `encrypted the secrets of ${counts.webhooks} webhooks, ${counts.organizations} organizations and ${counts.issuers} issuers`;
      printResult(options, counts, text);
    }),
  );
}

/** Only organizations that came from another cell have stored secrets. */
async function resealOrganizations(tx: Tx, config: ReturnType<typeof readStoringSecrets>): Promise<number> {
  const { rows } = await tx.query<{ no: number; code: string }>(
    'select o.no, o.code from organization_secrets s join organizations o on o.no = s.organization_no order by o.no',
  );
  for (const organization of rows) {
    const secrets = {
      device_secret: await readDeviceSecret(tx, config, organization),
      link_secret: await readLinkSecret(tx, config, organization),
    };
    await storeOwnSecrets(tx, config, organization, secrets);
  }
  return rows.length;
}
