import { Command } from 'commander';
import { CONNECTOR_SECRETS } from '../connectors/connector_secrets.ts';
import type { Tx } from '../db/pool.ts';
import { readSealStatus } from '../doctor/seal_status.ts';
import { CHANNEL_SECRETS } from '../duty/text_channel.ts';
import { resealOwnSecrets } from '../keys/own_secrets.ts';
import type { Resealed, ResealPage } from '../keys/sealed_secret.ts';
import { CLIENT_SECRETS } from '../oidc/issuers.ts';
import { PUSH_KEY_SECRETS } from '../push/push_key.ts';
import { readApiSecretsKeys, readInstallationKeys, readStoringSecrets } from '../settings/command_settings.ts';
import { resealEndpointSecrets } from '../webhooks/endpoint_secrets.ts';
import {
  type CommonOptions,
  printResult,
  printRows,
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
    .addCommand(statusCommand())
    .addCommand(apiKeyCommand());
}

function apiKeyCommand(): Command {
  const description = 'print the API_SECRETS_KEY of the api, which is derived from SECRETS_KEY';
  return readCommand('api-key', description, 'secrets api-key').action((options: CommonOptions) => {
    const [apiSecretsKey = ''] = readApiSecretsKeys(process.env);
    printResult(options, { api_secrets_key: apiSecretsKey }, apiSecretsKey);
  });
}

/** Rows per transaction. If the command is interrupted, the next run continues with the rows that are left. */
const PAGE_ROWS = 500;

function resealCommand(): Command {
  const description =
    'encrypt all stored secrets with the current SECRETS_KEY, DEVICE_SECRET and LINK_SECRET; the *_PREVIOUS settings open them. It can be interrupted and run again';
  return writeCommand('reseal', description, 'secrets reseal').action((options: WriteOptions) =>
    withDatabase(async ({ pool }) => {
      const config = readStoringSecrets(process.env);
      const apiSecretsKeys = readApiSecretsKeys(process.env);
      const unreadable: string[] = [];
      const resealAll = async (reseal: (tx: Tx, page: ResealPage) => Promise<Resealed>): Promise<number> => {
        let resealed = 0;
        let afterNo: number | null = 0;
        while (afterNo !== null) {
          const page: ResealPage = { afterNo, limit: PAGE_ROWS };
          const done: Resealed = await runChange(pool, options, (tx) => reseal(tx, page));
          resealed += done.resealed;
          unreadable.push(...done.unreadable);
          afterNo = done.lastNo;
        }
        return resealed;
      };
      const counts = {
        webhooks: await resealAll((tx, page) => resealEndpointSecrets(tx, config.secretsKeys, page)),
        organizations: await resealAll((tx, page) => resealOwnSecrets(tx, config, page)),
        issuers: await resealAll((tx, page) => CLIENT_SECRETS.reseal(tx, apiSecretsKeys, page)),
        connectors: await resealAll((tx, page) => CONNECTOR_SECRETS.reseal(tx, config.secretsKeys, page)),
        text_channels: await resealAll((tx, page) => CHANNEL_SECRETS.reseal(tx, apiSecretsKeys, page)),
        push_keys: await resealAll((tx, page) => PUSH_KEY_SECRETS.reseal(tx, config.secretsKeys, page)),
      };
      const text = `encrypted the secrets of ${counts.webhooks} webhooks, ${counts.organizations} organizations, ${counts.issuers} issuers, ${counts.connectors} connectors, ${counts.text_channels} text channels and ${counts.push_keys} keys of notifications`;
      printResult(options, { ...counts, unreadable }, text);
      if (unreadable.length > 0) {
        console.error(
          `NOT encrypted, because no key opens them: ${unreadable.slice(0, 5).join(', ')}${unreadable.length > 5 ? ` and ${unreadable.length - 5} more` : ''}; set SECRETS_KEY_PREVIOUS to the value they were stored with, and run this command again`,
        );
        process.exitCode = 1;
      }
    }),
  );
}

function statusCommand(): Command {
  const description =
    'show how many stored secrets are encrypted with SECRETS_KEY, with SECRETS_KEY_PREVIOUS, and with neither; the exit code is 1 unless all are encrypted with SECRETS_KEY';
  return readCommand('status', description, 'secrets status').action((options: CommonOptions) =>
    withDatabase(async ({ pool }) => {
      const status = await readSealStatus(pool, readInstallationKeys(process.env));
      printRows(options, status);
      if (status.some(({ previous, unreadable }) => previous + unreadable > 0)) process.exitCode = 1;
    }),
  );
}
