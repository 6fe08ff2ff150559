import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished } from 'vitest';
import { programEnvironment } from '../../engines/process.ts';
import { transaction } from '../../src/db/pool.ts';
import { checkStoredSecrets } from '../../src/doctor/stored_secrets.ts';
import { sealSecret } from '../../src/keys/sealed_secret.ts';
import { addIssuer } from '../../src/oidc/issuers.ts';
import { readDoctorConfig } from '../../src/settings/command_settings.ts';
import { deriveApiSecretsKey } from '../../src/values/api_secrets_key.ts';
import { uuid7 } from '../../src/values/uuid7.ts';
import { MAIN, NO_SETTINGS_FILE } from '../support/cli.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { givenOrganization } from '../support/fleet.ts';
import { type TestDatabase, test } from '../support/test.ts';

const OLD = 'the old key of at least thirty-two characters';
const NEW = 'the new key of at least thirty-two characters';
const ROTATING = { SECRETS_KEY: NEW, SECRETS_KEY_PREVIOUS: OLD };
const ENDPOINTS = 1_200;

async function givenEndpoints(database: TestDatabase, organizationNo: number): Promise<void> {
  const ids = Array.from({ length: ENDPOINTS }, () => uuid7());
  await database.owner.query(
    `insert into webhook_endpoints (id, organization_no, url, types, secret)
     select id, $1, 'https://erp.example.com', '{}', secret from unnest($2::uuid[], $3::text[]) as e (id, secret)`,
    [organizationNo, ids, ids.map((id) => sealSecret(OLD, `whsec_${id}`, `the webhook ${id}`))],
  );
}

const statusOf = async (database: TestDatabase, keys: Record<string, string>) => {
  const { code, stdout } = await runCommand(['secrets', 'status', '--json'], {
    OPERATOR_DATABASE_URL: database.urls.operator,
    ...keys,
  });
  return { code, status: JSON.parse(stdout) };
};

const findings = (database: TestDatabase, keys: Record<string, string>) =>
  checkStoredSecrets({
    pool: database.operator,
    fix: false,
    isSampled: false,
    config: readDoctorConfig({ OPERATOR_DATABASE_URL: database.urls.operator, ...keys }),
    progress: () => {},
  });

test('secrets reseal continues after it was killed, and doctor reports which secrets are still under the old key', async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  await givenEndpoints(database, organizationNo);
  await transaction(database.operator, (tx) =>
    addIssuer(
      tx,
      organizationNo,
      { url: 'https://login.example.com', clientId: 'tanks', clientSecret: 'a secret' },
      deriveApiSecretsKey(OLD),
    ),
  );
  expect(await findings(database, { SECRETS_KEY: OLD })).toEqual([]);
  expect(await findings(database, ROTATING)).toMatchObject([
    {
      problem: 'stored secrets are still encrypted with SECRETS_KEY_PREVIOUS: 1200 of webhooks, 1 of issuers',
      remedy: 'tankwatch secrets reseal',
      isWarning: true,
    },
  ]);
  // Without the old key, nothing is changed, and the secrets that cannot be opened are named.
  const alone = await runCommand(['secrets', 'reseal'], {
    OPERATOR_DATABASE_URL: database.urls.operator,
    SECRETS_KEY: NEW,
  });
  expect([alone.code, alone.stdout]).toEqual([
    1,
    'encrypted the secrets of 0 webhooks, 0 organizations, 0 issuers, 0 connectors, 0 text channels and 0 keys of notifications\n',
  ]);
  expect(alone.stderr).toMatch(
    /^NOT encrypted, because no key opens them: the webhook .* and 1196 more; set SECRETS_KEY_PREVIOUS/,
  );

  // The second page waits for a locked row. Then the process is killed.
  const locker = await database.owner.connect();
  onTestFinished(() => locker.release());
  await locker.query('begin');
  await locker.query(
    'select from webhook_endpoints where no = (select no from webhook_endpoints order by no offset 700 limit 1) for update',
  );
  const child = spawn(process.execPath, [MAIN, 'secrets', 'reseal'], {
    env: { ...programEnvironment(), ...NO_SETTINGS_FILE, OPERATOR_DATABASE_URL: database.urls.operator, ...ROTATING },
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const countUnderNewKey = async (): Promise<number> => (await statusOf(database, ROTATING)).status[0].current;
  await expect.poll(countUnderNewKey, { interval: 100 }).toBe(500);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await locker.query('rollback');

  const rest = await runCommand(['secrets', 'reseal'], { OPERATOR_DATABASE_URL: database.urls.operator, ...ROTATING });
  expect([rest.code, rest.stdout]).toEqual([
    0,
    'encrypted the secrets of 700 webhooks, 0 organizations, 1 issuers, 0 connectors, 0 text channels and 0 keys of notifications\n',
  ]);
  expect(await statusOf(database, { SECRETS_KEY: NEW })).toEqual({
    code: 0,
    status: [
      { kind: 'webhooks', current: ENDPOINTS, previous: 0, unreadable: 0 },
      { kind: 'organizations', current: 0, previous: 0, unreadable: 0 },
      { kind: 'issuers', current: 1, previous: 0, unreadable: 0 },
      { kind: 'connectors', current: 0, previous: 0, unreadable: 0 },
      { kind: 'text_channels', current: 0, previous: 0, unreadable: 0 },
      { kind: 'push_keys', current: 0, previous: 0, unreadable: 0 },
    ],
  });
  expect(await findings(database, ROTATING)).toMatchObject([{ isNote: true }]);
  expect(await findings(database, { SECRETS_KEY: OLD })).toMatchObject([
    { problem: expect.stringContaining('cannot be decrypted'), fixed: false },
  ]);
});
