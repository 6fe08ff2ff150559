import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openSecret } from '../../src/keys/sealed_secret.ts';
import { clientSecretContext } from '../../src/oidc/issuer.ts';
import { deriveApiSecretsKey } from '../../src/values/api_secrets_key.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { SECRETS_KEY } from '../support/events.ts';
import { givenOrganization, organizationCodeOf } from '../support/fleet.ts';
import { CLIENT, startProvider } from '../support/provider.ts';
import { test, untilTestEnds } from '../support/test.ts';

test('an operator adds, changes and removes an issuer, whose client secret is encrypted with the key of the api', async ({
  database,
}) => {
  const provider = await untilTestEnds(startProvider());
  provider.start(['https://tanks.example.com/callback'], 'https://tanks.example.com/console/');
  const secretFile = join(tmpdir(), `tankwatch-client-secret-${process.pid}`);
  await writeFile(secretFile, `${CLIENT.secret}\n`);
  const organizationNo = await givenOrganization(database.operator);
  const organizationCode = await organizationCodeOf(database.owner, organizationNo);
  const run = (args: string[], more = {}) =>
    runCommand(['issuers', ...args, '--organization', organizationCode], {
      OPERATOR_DATABASE_URL: database.urls.operator,
      PUBLIC_URL: 'https://tanks.example.com/',
      SECRETS_KEY,
      ...more,
    });
  const client = ['--client-id', CLIENT.id, '--client-secret-file', secretFile];

  const added = await run([
    'add',
    provider.url,
    ...client,
    '--domain',
    'Gas.example',
    '--group',
    'A=b=viewer',
    'A=b=dispatcher',
    '--json',
  ]);
  const { id, redirect_url: redirectUrl } = JSON.parse(added.stdout);
  expect(redirectUrl).toBe(`https://tanks.example.com/session/issuers/${id}/callback`);
  const list = async () => JSON.parse((await run(['list', '--json'])).stdout);
  expect(await list()).toMatchObject([
    {
      id,
      url: provider.url,
      has_secret: true,
      domains: 'gas.example',
      groups: { 'A=b': ['viewer', 'dispatcher'] },
      people: 0,
    },
  ]);
  const readSealed = async (): Promise<string> =>
    (await database.owner.query('select sealed_client_secret from issuers where id = $1', [id])).rows[0]
      ?.sealed_client_secret;
  const open = async (secretsKey: string): Promise<string> =>
    openSecret([deriveApiSecretsKey(secretsKey)], await readSealed(), clientSecretContext(id));
  expect(await open(SECRETS_KEY)).toBe(CLIENT.secret);
  await expect(async () => openSecret([SECRETS_KEY], await readSealed(), clientSecretContext(id))).rejects.toThrow();

  // SECRETS_KEY is replaced.
  const newKey = 'another key of at least thirty-two characters';
  const resealed = await runCommand(['secrets', 'reseal'], {
    OPERATOR_DATABASE_URL: database.urls.operator,
    SECRETS_KEY: newKey,
    SECRETS_KEY_PREVIOUS: SECRETS_KEY,
  });
  expect([resealed.stdout, await open(newKey)]).toEqual([expect.stringContaining('1 issuers'), CLIENT.secret]);
  const printed = await runCommand(['secrets', 'api-key'], { SECRETS_KEY: newKey });
  expect(printed.stdout).toBe(`${deriveApiSecretsKey(newKey)}\n`);

  await run(['update', provider.url, '--label', 'Gas', '--group', '', '--domain', '']);
  expect(await list()).toMatchObject([{ label: 'Gas', groups: {}, domains: '', has_secret: true }]);

  const alias = provider.url.replace('127.0.0.1', 'localhost');
  const mistakes: [string[], RegExp][] = [
    [['add', provider.url, ...client], /has the issuer .* already/],
    // The provider calls itself by another name, as the "common" issuer of Microsoft does.
    [['add', alias, ...client], /cannot be used as an issuer: .*issuer/],
    [['add', `${provider.url}/nowhere`, ...client], /cannot be used as an issuer/],
    [['add', 'http://login.example.com', ...client], /must be a URL that begins with https/],
    [['add', 'https://login.example.com', '--client-id', 'x', '--client-secret-file', '/nowhere'], /cannot read/],
    [['update', provider.url], /give what to change/],
    [['update', provider.url, '--group', 'Dispatch=boss'], /Must be a group and a role/],
    [['update', provider.url, '--domain', 'a b'], /must be a domain/],
    [['remove', 'https://unknown.example'], /there is no issuer/],
  ];
  for (const [args, message] of mistakes) {
    const { code, stderr } = await run(args);
    expect([args.join(' '), code, stderr]).toEqual([args.join(' '), 1, expect.stringMatching(message)]);
  }
  expect((await run(['remove', id])).stdout).toContain('removed the issuer');
  expect([await list(), await readSealed()]).toEqual([[], null]);
  const { rows: audit } = await database.owner.query(
    `select action, fields from audit_log where object = 'issuer' and organization_no = $1 order by no desc limit 1`,
    [organizationNo],
  );
  expect(audit).toEqual([{ action: 'delete', fields: ['deleted_at', 'sealed_client_secret'] }]);
});
