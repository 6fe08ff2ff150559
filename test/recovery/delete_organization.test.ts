import { expect, onTestFinished } from 'vitest';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { rotateDevice } from '../../src/catalog/devices.ts';
import { transaction } from '../../src/db/pool.ts';
import { Readers } from '../../src/db/readers.ts';
import { Outage, silentLogger } from '../../src/health/outage.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { devicePassword } from '../../src/keys/device_password.ts';
import { DeviceVerifier } from '../../src/keys/device_verifier.ts';
import { organizationSecret } from '../../src/keys/organization_secret.ts';
import { addContact } from '../../src/mail/contacts.ts';
import { reapplyRemovals } from '../../src/recovery/reapply_removals.ts';
import { REMOVAL_COLUMNS, type Removal } from '../../src/recovery/removal.ts';
import { readDeviceSecrets } from '../../src/settings/command_settings.ts';
import { eraseDeletedOrganizations } from '../../src/worker/retention.ts';
import type { Finished } from '../support/cli.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { givenEndpoint, givenTanked, lowFillOf, record, type Tanked } from '../support/events.ts';
import { givenKey, givenTanks, organizationCodeOf } from '../support/fleet.ts';
import { type TestDatabase, test } from '../support/test.ts';

const DEVICE_SECRET = 'a secret of at least thirty-two characters';

const run = (database: TestDatabase, ...args: string[]): Promise<Finished> =>
  runCommand(args, { DATABASE_URL: database.urls.operator, DEVICE_SECRET });

/** An organization with rows in many tables, but without rounds, issuers, connectors, a duty plan and places. */
async function givenFull(database: TestDatabase): Promise<Tanked & { code: string; key: string }> {
  const { operator, owner } = database;
  const fleet = await givenTanked(database, { name: 'Ana Ruiz' }, { assigned_device_id: 'SENSOR' });
  const { organizationNo, customer, tank } = fleet;
  const devices = Array.from({ length: 300 }, (_, n) => ({ assigned_device_id: `D${n}` }));
  await givenTanks(operator, organizationNo, customer.no, devices);
  const { text: key } = await givenKey(operator, { organizationNo });
  await givenKey(operator, { organizationNo, customerNo: customer.no });
  const endpoint = await givenEndpoint(database, organizationNo);
  await transaction(operator, async (tx) => {
    const contact = await addContact(operatorChange(tx, organizationNo), { email: 'ops@example.com', types: [] });
    await rotateDevice(tx, organizationNo, 'SENSOR');
    await tx.query('update tanks set capacity = capacity + 1 where organization_no = $1', [organizationNo]);
    expect(contact.id).toBeDefined();
  });
  const readings = Array.from({ length: 2_100 }, (_, n) => ({
    tankNo: tank.no,
    atMs: Date.UTC(2025, 1) + n * 600_000,
    fillPercentage: 50,
  }));
  await new BatchIngester(database.writer).ingestReadings(readings);
  const [id] = await record(database, lowFillOf(fleet));
  await owner.query('insert into webhook_deliveries (endpoint_no, event_no) select $1, no from events where id = $2', [
    endpoint.no,
    id,
  ]);
  await owner.query(
    `insert into event_mails (event_no, recipient, recipient_no, kind)
     select e.no, 'contact', c.no, 'alert' from events e join contacts c using (organization_no) where e.id = $1`,
    [id],
  );
  await owner.query(
    `insert into device_mails select no, 'tank.silent', now() from contacts where organization_no = $1`,
    [organizationNo],
  );
  await owner.query('insert into reminder_unsubscribes (customer_no) values ($1)', [customer.no]);
  await owner.query(
    `insert into rejected_readings (organization_no, device_id, code, detail, raw, format, received_at, message_id, place)
     values ($1, 'NEVER', 'unknown_device', '', 'Ana Ruiz', 'json', now(), gen_random_uuid(), 0)`,
    [organizationNo],
  );
  await owner.query(`insert into organization_secrets values ($1, 'x', 'y')`, [organizationNo]);
  const code = await organizationCodeOf(owner, organizationNo);
  return { ...fleet, code, key };
}

/** The number of rows that belong to an organization, by table. The record of removals and the audit log are left out, because they stay. */
async function countRows({ owner }: TestDatabase, { organizationNo }: Tanked): Promise<Record<string, number>> {
  const { rows: columns } = await owner.query<{ table_name: string; column_name: string }>(
    `select c.table_name, c.column_name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where table_schema = 'public' and t.table_type = 'BASE TABLE' and c.table_name not like 'telemetry_20%'
       and c.table_name <> 'audit_log'
       and c.column_name in ('organization_no', 'tank_no', 'customer_no', 'endpoint_no', 'event_no', 'contact_no', 'scope_no')`,
  );
  const scopes: Record<string, string> = {
    organization_no: '= $1',
    tank_no: '= any (array(select no from kept_tanks where organization_no = $1))',
    customer_no: '= any (array(select no from kept_customers where organization_no = $1))',
    scope_no: '= any (array(select no from kept_customers where organization_no = $1) || $1)',
    endpoint_no: 'in (select no from webhook_endpoints where organization_no = $1)',
    event_no: 'in (select no from events where organization_no = $1)',
    contact_no: 'in (select no from contacts where organization_no = $1)',
  };
  const counts: Record<string, number> = {};
  for (const { table_name, column_name } of columns) {
    const { rows } = await owner.query<{ n: number }>(
      `select count(*)::int as n from ${table_name} where ${column_name} ${scopes[column_name]}`,
      [organizationNo],
    );
    if (rows[0]?.n) counts[`${table_name}.${column_name}`] = rows[0].n;
  }
  return counts;
}

test('all rows of a deleted organization are deleted, and none of another one', async ({ database, api }) => {
  const { owner, worker } = database;
  const [fleet, other] = [await givenFull(database), await givenFull(database)];
  await owner.query('create table kept_tanks as select no, organization_no from tanks');
  await owner.query('create table kept_customers as select no, organization_no from customers');
  const before = await countRows(database, fleet);
  expect(Object.keys(before).length).toBeGreaterThan(20);
  const otherBefore = await countRows(database, other);

  const readers = await Readers.open({ url: database.urls.gateway, applicationName: 'tests', connections: 1 });
  const verifier = new DeviceVerifier(readers, {
    ...readDeviceSecrets({ DEVICE_SECRET }),
    outage: new Outage(silentLogger, 'following devices'),
  });
  onTestFinished(async () => {
    verifier.close();
    await readers.close();
  });
  await owner.query('delete from organization_secrets'); // the secrets of this test are not sealed
  await verifier.start();
  const login = (code: string) =>
    verifier.verify(`${code}/D1`, Buffer.from(devicePassword(organizationSecret(DEVICE_SECRET, code), 'D1', 1)));
  await expect.poll(() => login(fleet.code)).toBeDefined();
  const device = await login(fleet.code);

  const asked = await run(database, 'organizations', 'delete', fleet.code);
  expect([asked.code, asked.stderr]).toEqual([1, expect.stringContaining('use --yes to delete without a question')]);
  const counts = { customers: 1, tanks: 301, keys: 2, webhooks: 1, contacts: 1 };
  const dry = await run(database, 'organizations', 'delete', fleet.code, '--dry-run', '--json');
  expect(JSON.parse(dry.stdout)).toEqual({ dry_run: true, code: fleet.code, ...counts });
  expect(await eraseDeletedOrganizations(worker)).toBe(0);
  expect((await api.call('/v1/tanks', { key: fleet.key })).status).toBe(200);

  const deleted = await run(database, 'organizations', 'delete', fleet.code, '--yes', '--json');
  expect(JSON.parse(deleted.stdout)).toEqual({ code: fleet.code, ...counts });
  await expect.poll(async () => (await api.call('/v1/tanks', { key: fleet.key })).status, { interval: 50 }).toBe(401);
  await expect.poll(() => login(fleet.code), { interval: 50 }).toBeUndefined();
  expect(device !== undefined && verifier.isCurrent(device)).toBe(false);
  expect(await login(other.code)).toBeDefined();
  expect((await run(database, 'organizations', 'show', fleet.code)).stderr).toContain('there is no organization');
  const again = await run(
    database,
    'organizations',
    'create',
    fleet.code,
    '--name',
    'x',
    '--slot',
    fleet.code.slice(0, 2),
  );
  expect(again.stderr).toContain('belonged to an organization that was deleted');

  // The first run of the worker deletes all personal data. Empty rows stay until no writer can use them any more.
  expect(await eraseDeletedOrganizations(worker)).toBe(0);
  const { rows: personal } = await owner.query(
    `select from customers where organization_no = $1 and name is not null
     union all select from tanks where organization_no = $1 and name is not null
     union all select from telemetry where tank_no = $2 union all select from events where organization_no = $1
     union all select from rejected_readings where organization_no = $1`,
    [fleet.organizationNo, fleet.tank.no],
  );
  expect(personal).toEqual([]);
  const listed = await run(database, 'organizations', 'list', '--deleted', '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject([{ code: fleet.code, state: 'being erased' }]);
  await owner.query(`update organizations set deleted_at = deleted_at - interval '11 minutes' where no = $1`, [
    fleet.organizationNo,
  ]);
  expect(await eraseDeletedOrganizations(worker)).toBe(1);
  const {
    'kept_tanks.organization_no': _tanks,
    'kept_customers.organization_no': _customers,
    ...left
  } = await countRows(database, fleet);
  expect(left).toEqual({});
  expect(await countRows(database, other)).toEqual({
    ...otherBefore,
    'organization_secrets.organization_no': undefined,
  });
  expect(await eraseDeletedOrganizations(worker)).toBe(0);
  const audit = await run(database, 'audit', '--organization', fleet.code, '--json', '--limit', '1000');
  expect(JSON.parse(audit.stdout)).toEqual(
    expect.arrayContaining([expect.objectContaining({ object: 'organization', action: 'delete' })]),
  );
});

test('a deleted organization that was restored is deleted again by its one removal', async ({ database }) => {
  const { owner, operator } = database;
  const { code, organizationNo } = await givenFull(database);
  const removals = async (): Promise<Removal[]> =>
    (await owner.query<Removal>(`select ${REMOVAL_COLUMNS} from removals where organization = $1`, [code])).rows;
  await owner.query('delete from organization_secrets where organization_no = $1', [organizationNo]);
  expect((await run(database, 'organizations', 'delete', code, '--yes')).code).toBe(0);
  await eraseDeletedOrganizations(database.worker);
  const kinds = Object.groupBy(await removals(), ({ kind }) => kind);
  expect([kinds.organization?.length, kinds.tank, kinds.customer]).toEqual([1, undefined, undefined]);

  await owner.query(`update organizations set deleted_at = null, name = 'restored' where no = $1`, [organizationNo]);
  const recorded = await removals();
  expect(
    await transaction(operator, (tx) =>
      reapplyRemovals(
        tx,
        recorded.filter(({ ended_at }) => ended_at !== null),
      ),
    ),
  ).toMatchObject({ applied: 1 });
  expect(await transaction(operator, (tx) => reapplyRemovals(tx, recorded))).toMatchObject({ applied: 0 });
});
