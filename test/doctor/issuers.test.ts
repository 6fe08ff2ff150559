import { expect } from 'vitest';
import { startApi } from '../../engines/api.ts';
import { transaction } from '../../src/db/pool.ts';
import { checkIssuers } from '../../src/doctor/issuers.ts';
import { addIssuer } from '../../src/oidc/issuers.ts';
import { readDoctorConfig } from '../../src/settings/command_settings.ts';
import { deriveApiSecretsKey } from '../../src/values/api_secrets_key.ts';
import { SECRETS_KEY } from '../support/events.ts';
import { givenOrganization } from '../support/fleet.ts';
import { test } from '../support/test.ts';

test('doctor finds an issuer with a secret that no key opens, and an api without issuers', async ({
  database,
  api,
}) => {
  const check = (more: Record<string, string>) =>
    checkIssuers({
      pool: database.operator,
      fix: false,
      config: readDoctorConfig({ OPERATOR_DATABASE_URL: database.urls.operator, ...more }),
      progress: () => {},
    });
  // Without an issuer, an api needs no API_SECRETS_KEY.
  expect(await check({ PUBLIC_URL: api.url })).toEqual([]);
  const issuer = { url: 'https://login.example.com', clientId: 'x', clientSecret: 'a client secret' };
  await transaction(database.operator, async (tx) =>
    addIssuer(tx, await givenOrganization(database.operator), issuer, deriveApiSecretsKey(SECRETS_KEY)),
  );
  expect(await check({ SECRETS_KEY })).toEqual([]);
  expect(await check({ SECRETS_KEY: 'another key of at least 32 characters' })).toMatchObject([
    { problem: expect.stringContaining('the issuer https://login.example.com of a0'), fixed: false },
  ]);
  expect(await check({ PUBLIC_URL: api.url })).toMatchObject([
    { problem: expect.stringContaining('lacks API_SECRETS_KEY or PUBLIC_URL'), isWarning: true },
  ]);
  const settings = { PUBLIC_URL: 'https://tanks.example.com', API_SECRETS_KEY: deriveApiSecretsKey(SECRETS_KEY) };
  const offering = await startApi(database.urls.api, settings);
  expect(await check({ SECRETS_KEY, PUBLIC_URL: offering.url })).toEqual([]);
  await offering.close();
});
