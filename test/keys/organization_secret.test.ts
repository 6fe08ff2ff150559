import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { migrate } from '../../src/db/migrate.ts';
import { openPool } from '../../src/db/pool.ts';
import { Readers } from '../../src/db/readers.ts';
import { Outage, silentLogger } from '../../src/health/outage.ts';
import { devicePassword } from '../../src/keys/device_password.ts';
import { DeviceVerifier } from '../../src/keys/device_verifier.ts';
import { organizationSecret } from '../../src/keys/organization_secret.ts';
import { openSecret, sealSecret } from '../../src/keys/sealed_secret.ts';
import { readGatewayConfig } from '../../src/settings/gateway_settings.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { givenFolder } from '../support/folder.ts';
import { givenOtherDatabase, type TestDatabase, test } from '../support/test.ts';

const OLD_CELL = { DEVICE_SECRET: 'the device secret of the old cell, long enough', LINK_SECRET: 'l'.repeat(32) };
const NEW_CELL = {
  DEVICE_SECRET: 'another device secret of the new cell, long',
  LINK_SECRET: 'm'.repeat(32),
  SECRETS_KEY: 'the key that encrypts secrets in the database',
};

async function startVerifier(database: TestDatabase, environment: Record<string, string>): Promise<DeviceVerifier> {
  const readers = await Readers.open({ url: database.urls.gateway, applicationName: 'test', connections: 1 });
  const { devices } = readGatewayConfig({ DATABASE_URL: database.urls.gateway, ...environment });
  const verifier = new DeviceVerifier(readers, { ...devices, outage: new Outage(silentLogger, 'following devices') });
  await verifier.start();
  return verifier;
}

/** An empty database of cell 7. The database of the test is cell 0. */
async function givenCell7(database: TestDatabase): Promise<string> {
  const url = await givenOtherDatabase(database, { isMigrated: true });
  const pool = openPool({ url, applicationName: 'cell 7' });
  await migrate(pool, { cellNumber: 7 });
  await pool.end();
  return url;
}

test('an organization that moves to another cell with its secrets keeps its number and the passwords of its devices', async ({
  database,
}) => {
  const old = { ...OLD_CELL, DATABASE_URL: await givenCell7(database) };
  const here = { ...NEW_CELL, DATABASE_URL: database.urls.operator };
  const run = async (args: string[], environment: Record<string, string>): Promise<string> => {
    const { code, stdout, stderr } = await runCommand(args, environment);
    if (code !== 0) throw new Error(stderr);
    return stdout;
  };
  await run(['organizations', 'create', 'b7move', '--slot', 'b7', '--name', 'Moves'], old);
  const secrets = await run(['organizations', 'secrets', 'b7move', '--json'], old);
  expect(JSON.parse(secrets).no).toBe(280_000_001);
  const password = devicePassword(organizationSecret(OLD_CELL.DEVICE_SECRET, 'b7move'), 'D1', 1);

  const folder = await givenFolder();
  const create = async (code: string, text: string): Promise<string> => {
    const file = join(folder, `${code}.json`);
    await writeFile(file, text);
    return run(['organizations', 'create', code, '--slot', 'b7', '--name', 'Moves', '--secrets', file], here);
  };
  await create('b7move', secrets);
  expect(await run(['organizations', 'secrets', 'b7move', '--json'], here)).toBe(secrets);
  const numbers = await database.owner.query('select code, no from organizations where code = $1', ['b7move']);
  expect(numbers.rows).toEqual([{ code: 'b7move', no: 280_000_001 }]);
  await expect(create('b7other', secrets)).rejects.toThrow('the number 280000001 belongs to b7move already');
  // A number in the range of this cell would be used again. Cells that both have CELL_NUMBER 0 have such numbers.
  const same = JSON.stringify({ ...JSON.parse(secrets), no: 12_345 });
  await expect(create('b7other', same)).rejects.toThrow(
    'the number 12345 is one of this cell; give each cell its own CELL_NUMBER, or remove "no" from the file',
  );
  // 0.2.0 wrote no number, and 0.3.0 no route tag.
  const { no: _, ...numberless } = JSON.parse(secrets);
  const { route_tag: tag, ...without } = numberless;
  await expect(create('b7other', JSON.stringify(numberless))).rejects.toThrow(
    `the route tag ${tag} belongs to b7move already; remove "route_tag" from the file`,
  );
  await create('b7other', JSON.stringify(without));
  expect(JSON.parse(await run(['organizations', 'secrets', 'b7other', '--json'], here)).no).toBeLessThan(40_000_000);

  const audited = await database.owner.query(
    `select distinct organization_no = object_nos[1] as is_itself, fields from audit_log
     where object = 'organization' and action = 'issue'`,
  );
  expect(audited.rows).toEqual([{ is_itself: true, fields: ['device_secret', 'link_secret'] }]);

  // A gateway has no SECRETS_KEY, and opens the secret with its DEVICE_SECRET.
  const { SECRETS_KEY, ...gatewaySettings } = NEW_CELL;
  const verifier = await startVerifier(database, gatewaySettings);
  expect(await verifier.verify('b7move/D1', Buffer.from(password))).toMatchObject({ organizationCode: 'b7move' });
  const derivedHere = devicePassword(organizationSecret(NEW_CELL.DEVICE_SECRET, 'b7move'), 'D1', 1);
  expect(await verifier.verify('b7move/D1', Buffer.from(derivedHere))).toBeUndefined();
  verifier.close();
  const { rows } = await database.owner.query('select * from organization_secrets');
  expect(JSON.stringify(rows)).not.toContain(JSON.parse(secrets).device_secret);

  // The row is as 0.2 has stored it. The devices of this organization are refused, and those of other organizations are not.
  await database.owner.query(
    'update organization_secrets set wrapped_device_secret = null, wrapped_link_secret = null',
  );
  await database.owner.query(`insert into organizations (code, name) values ('b7stay', 'Stays')`);
  const own = devicePassword(organizationSecret(NEW_CELL.DEVICE_SECRET, 'b7stay'), 'D1', 1);
  const upgraded = await startVerifier(database, gatewaySettings);
  expect(await upgraded.verify('b7move/D1', Buffer.from(password))).toBeUndefined();
  expect(await upgraded.verify('b7stay/D1', Buffer.from(own))).toMatchObject({ organizationCode: 'b7stay' });
  // All secrets are replaced at the same time.
  const rotated = {
    DEVICE_SECRET: 'a third device secret, also long enough',
    DEVICE_SECRET_PREVIOUS: NEW_CELL.DEVICE_SECRET,
    LINK_SECRET: 'n'.repeat(32),
    LINK_SECRET_PREVIOUS: NEW_CELL.LINK_SECRET,
    SECRETS_KEY: 'a new key that encrypts secrets in the database',
  };
  await expect(run(['secrets', 'reseal'], { ...here, ...rotated, SECRETS_KEY_PREVIOUS: '' })).rejects.toThrow(
    'SECRETS_KEY_PREVIOUS',
  );
  expect(await run(['secrets', 'reseal', '--json'], { ...here, ...rotated, SECRETS_KEY_PREVIOUS: SECRETS_KEY })).toBe(
    '{"webhooks":0,"organizations":2,"issuers":0,"connectors":0,"text_channels":0,"push_keys":0,"unreadable":[]}\n',
  );
  upgraded.close();
  expect(await verifyWithSecret(database, rotated.DEVICE_SECRET, password)).toMatchObject({
    organizationCode: 'b7move',
  });
});

/** Verifies a device of b7move with a gateway that has only this secret. */
async function verifyWithSecret(database: TestDatabase, deviceSecret: string, password: string) {
  const verifier = await startVerifier(database, { DEVICE_SECRET: deviceSecret });
  const device = await verifier.verify('b7move/D1', Buffer.from(password));
  verifier.close();
  return device;
}

test('during a rotation of DEVICE_SECRET a device may use the password of either secret', async ({ database }) => {
  await database.owner.query(`insert into organizations (code, name) values ('a0rot', 'Rotates')`);
  const rotated = { ...NEW_CELL, DEVICE_SECRET_PREVIOUS: OLD_CELL.DEVICE_SECRET };
  const verifier = await startVerifier(database, rotated);
  for (const secret of [NEW_CELL.DEVICE_SECRET, OLD_CELL.DEVICE_SECRET]) {
    const password = devicePassword(organizationSecret(secret, 'a0rot'), 'D1', 1);
    expect(await verifier.verify('a0rot/D1', Buffer.from(password))).toMatchObject({ deviceId: 'D1' });
  }
  expect(await verifier.verify('a0rot/D1', Buffer.from('x'.repeat(43)))).toBeUndefined();
  verifier.close();
});

test('a sealed secret opens only with its key and for its context', () => {
  const sealed = sealSecret('key '.repeat(8), 'hidden', 'device secret of a0gas');
  expect(openSecret(['key '.repeat(8)], sealed, 'device secret of a0gas')).toBe('hidden');
  expect(() => openSecret(['yek '.repeat(8)], sealed, 'device secret of a0gas')).toThrow(
    /set SECRETS_KEY or SECRETS_KEY_PREVIOUS/,
  );
  expect(() => openSecret(['key '.repeat(8)], sealed, 'device secret of a0oil')).toThrow(/cannot be decrypted/);
  expect(sealed).not.toContain('hidden');
});
