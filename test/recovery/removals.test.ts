import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { deleteCustomer } from '../../src/catalog/customers.ts';
import { revokeDevice, rotateDevice } from '../../src/catalog/devices.ts';
import { transaction } from '../../src/db/pool.ts';
import { deleteDriver } from '../../src/deliveries/truck_changes.ts';
import { silentLogger } from '../../src/health/outage.ts';
import { revokeKey, rotateKey } from '../../src/keys/issue_key.ts';
import { addContact, removeContact, updateContact } from '../../src/mail/contacts.ts';
import { reapplyRemovals } from '../../src/recovery/reapply_removals.ts';
import { encodeRemoval, parseRemoval, type Removal } from '../../src/recovery/removal.ts';
import { readRemovalFile } from '../../src/recovery/removal_file.ts';
import { RemovalMirror } from '../../src/recovery/removal_mirror.ts';
import { disableEndpoint, enableEndpoint } from '../../src/webhooks/endpoints.ts';
import { givenRound } from '../support/driven_rounds.ts';
import { givenEndpoint, givenTanked } from '../support/events.ts';
import { givenKey, givenOrganization } from '../support/fleet.ts';
import { givenFolder } from '../support/folder.ts';
import { type TestDatabase, test } from '../support/test.ts';

const removalsOf = async ({ owner }: TestDatabase, organizationNo: number): Promise<Removal[]> =>
  (
    await owner.query<Removal>(
      `select r.* from removals r join organizations o on o.code = r.organization where o.no = $1 order by r.at, r.id`,
      [organizationNo],
    )
  ).rows;

async function newMirrorPath(): Promise<string> {
  const folder = await givenFolder();
  return join(folder, 'removals.ndjson');
}

const linesOf = async (file: string): Promise<Removal[]> =>
  (await readFile(file, 'utf8'))
    .split('\n')
    .map(parseRemoval)
    .filter((removal) => removal !== undefined);

test('every deletion and revocation is recorded with its id or prefix, and an operator cannot change the record', async ({
  database,
}) => {
  const { operator } = database;
  const { organizationNo, customer, tank } = await givenTanked(database, {}, { assigned_device_id: 'SENSOR' });
  const narrowed = await givenKey(operator, { organizationNo, customerNo: customer.no, name: 'Ana' });
  const revoked = await givenKey(operator, { organizationNo });
  const rotated = await givenKey(operator, { organizationNo });
  const endpoint = await givenEndpoint(database, organizationNo);
  const other = await givenTanked(database);
  await transaction(operator, async (tx) => {
    const contact = await addContact(operatorChange(tx, organizationNo), {
      email: 'ops@example.com',
      types: [],
      roles: ['viewer'],
    });
    await revokeKey(tx, revoked.prefix);
    await rotateKey(tx, rotated.prefix, 24);
    await revokeDevice(tx, organizationNo, 'SENSOR');
    await rotateDevice(tx, organizationNo, 'SENSOR');
    await updateContact(operatorChange(tx, organizationNo), contact.id, { roles: [] });
    await removeContact(operatorChange(tx, organizationNo), contact.id);
    await disableEndpoint(tx, endpoint.no, 'failing');
    await enableEndpoint(tx, endpoint.no);
    await disableEndpoint(tx, endpoint.no, 'operator');
    await deleteCustomer(tx, organizationNo, customer.no, { withTanks: true });
  });
  await database.api.query('select unsubscribe_customer_of_link($1)', [other.customer.id]);

  const stateOf = (endedAt: string | null): string => {
    if (endedAt === null) return 'valid';
    return Date.parse(endedAt) > Date.now() + 60_000 ? 'ends later' : 'ended';
  };
  const recorded = (await removalsOf(database, organizationNo)).map(({ kind, object, ended_at, generation }) => [
    kind,
    kind === 'contact' || kind === 'console' ? '' : object,
    stateOf(ended_at),
    generation,
  ]);
  expect(recorded).toEqual([
    ['key', revoked.prefix, 'ended', null],
    ['key', rotated.prefix, 'ends later', null],
    ['device', 'SENSOR', 'ended', 1],
    ['device', 'SENSOR', 'valid', 2],
    ['console', '', 'ended', null],
    ['contact', '', 'ended', null],
    ['webhook', endpoint.id, 'ended', null],
    ['tank', tank.id, 'ended', null],
    ['key', narrowed.prefix, 'ended', null],
    ['customer', customer.id, 'ended', null],
  ]);
  expect((await removalsOf(database, other.organizationNo)).map(({ kind, object }) => [kind, object])).toEqual([
    ['unsubscribe', other.customer.id],
  ]);
  for (const statement of ['delete from removals', 'update removals set at = now()', 'truncate removals'])
    await expect(operator.query(statement)).rejects.toMatchObject({ code: '42501' });
});

test('the worker appends each removal to a file, also those of a late transaction or of a time without a worker', async ({
  database,
}) => {
  const { operator, worker, owner } = database;
  const { organizationNo } = await givenTanked(database);
  const revoke = async (): Promise<string> => {
    const { prefix } = await givenKey(operator, { organizationNo });
    await revokeKey(operator, prefix);
    return prefix;
  };
  const file = await newMirrorPath();
  const start = (): RemovalMirror => {
    const mirror = new RemovalMirror(worker, file, silentLogger);
    onTestFinished(() => mirror.close());
    mirror.start();
    return mirror;
  };
  const prefixes = async (): Promise<string[]> => (await linesOf(file)).map(({ object }) => object);

  const before = await revoke();
  const mirror = start();
  await expect.poll(prefixes).toContain(before);

  // A removal of a transaction that begins before others and commits after them is not missed.
  const slow = await operator.connect();
  const late = await givenKey(operator, { organizationNo });
  await slow.query('begin');
  await revokeKey(slow, late.prefix);
  const during = await revoke();
  await expect.poll(prefixes).toContain(during);
  await slow.query('commit');
  slow.release();
  await expect.poll(prefixes).toContain(late.prefix);
  await mirror.close();

  // The worker crashed in the middle of a line, and a removal was recorded without a worker.
  await appendFile(file, '{"id":"0198');
  const without = await revoke();
  const again = start();
  await expect.poll(prefixes).toContain(without);
  await again.close();
  const lines = await linesOf(file);
  const { rows } = await owner.query<{ id: string }>('select id from removals');
  expect(new Set(lines.map(({ id }) => id))).toEqual(new Set(rows.map(({ id }) => id)));
  expect(lines).toHaveLength(rows.length);

  // After a restore the table has fewer removals. The file keeps its lines and gets the new ones.
  await owner.query('delete from removals');
  const afterRestore = await revoke();
  start();
  await expect.poll(prefixes).toContain(afterRestore);
  expect(await prefixes()).toEqual(expect.arrayContaining([before, during, late.prefix, without, afterRestore]));
});

test('a removal of a device with U+2028 and U+2029 in its id is in the file once, also after three starts of the worker', async ({
  database,
}) => {
  const { operator, worker } = database;
  const deviceId = 'S\u2028E\u2029N';
  const { organizationNo } = await givenTanked(database, {}, { assigned_device_id: deviceId });
  await transaction(operator, (tx) => revokeDevice(tx, organizationNo, deviceId));
  const file = await newMirrorPath();
  for (let start = 0; start < 3; start++) {
    const { prefix } = await givenKey(operator, { organizationNo });
    await revokeKey(operator, prefix);
    const mirror = new RemovalMirror(worker, file, silentLogger);
    onTestFinished(() => mirror.close());
    mirror.start();
    await expect.poll(async () => (await linesOf(file)).map(({ object }) => object)).toContain(prefix);
    await mirror.close();
  }
  expect((await linesOf(file)).filter(({ object }) => object === deviceId)).toHaveLength(1);
});

test('a file of removals is read wherever a crash or a full disk has cut off a line', async () => {
  const whole = ['a', 'b'].map((prefix) => ({
    id: '01980000-0000-7000-8000-000000000000',
    at: '2026-11-16T12:00:00.000Z',
    kind: 'device' as const,
    organization: 'a0gas',
    object: `${prefix} {é}`,
    ended_at: '2026-11-16T12:00:00.000Z',
    generation: 1,
  }));
  const [first = '', second = ''] = whole.map(encodeRemoval);
  const cut = Buffer.from(first).subarray(0, -1);
  const file = await newMirrorPath();
  for (let bytes = 0; bytes < cut.length; bytes++) {
    const torn = cut.subarray(0, bytes);
    await writeFile(file, Buffer.concat([Buffer.from(first), torn])); // as the crash has left it
    expect(await readRemovalFile(file)).toEqual([whole[0]]);
    await writeFile(file, Buffer.concat([torn, Buffer.from(`\n${second}`)])); // after the next removal
    expect(await readRemovalFile(file)).toEqual([whole[1]]);
  }
  await writeFile(file, `${first}${'\0'.repeat(100)}\n${second}`); // the disk had the length of the file, and not its content
  expect(await readRemovalFile(file)).toEqual(whole);
  for (const other of ['no removal', '{"id":1}', '{"name":"other"}']) {
    await writeFile(file, `${first}${other}\n`);
    await expect(readRemovalFile(file)).rejects.toThrow('line 2 of');
  }
});

test('after a restore, a driver and a contact are erased as when they were deleted, and the links of the driver end', async ({
  database,
}) => {
  const { operator, owner } = database;
  const organizationNo = await givenOrganization(operator);
  const round = await givenRound(owner, organizationNo, { stops: 0 });
  const { rows: drivers } = await owner.query<{ id: string }>(
    `update drivers d set phone = '+1' from rounds r where r.id = $1 and d.no = r.driver_no returning d.id`,
    [round.id],
  );
  const driverId = drivers[0]?.id ?? '';
  const digest = { email: 'ana@example.com', name: 'Ana', types: [], digest_at: '07:00' };
  const { id: contactId } = await transaction(operator, (tx) => addContact(operatorChange(tx, organizationNo), digest));
  const state = async () => {
    const { rows } = await owner.query(
      `select d.name, d.phone, d.deleted_at, d.archived_at, r.link_generation, c.email, c.name as contact, c.digest_at,
              c.digest_since, c.deleted_at as removed_at
       from drivers d join rounds r on r.driver_no = d.no cross join contacts c where d.id = $1 and c.id = $2`,
      [driverId, contactId],
    );
    return rows[0];
  };
  const before = await state();
  await transaction(operator, async (tx) => {
    await deleteDriver(operatorChange(tx, organizationNo), driverId);
    await removeContact(operatorChange(tx, organizationNo), contactId);
  });
  const deleted = await state();
  expect(deleted).toMatchObject({ name: null, link_generation: 1, email: null, digest_at: null, digest_since: null });
  const removals = await removalsOf(database, organizationNo);
  await owner.query(`update drivers set name = $2, phone = '+1', deleted_at = null, archived_at = null where id = $1`, [
    driverId,
    before.name,
  ]);
  await owner.query('update rounds set link_generation = 0 where id = $1', [round.id]);
  await owner.query(
    `update contacts set email = $2, name = 'Ana', digest_at = '07:00', digest_since = $3, deleted_at = null where id = $1`,
    [contactId, before.email, before.digest_since],
  );
  expect(await state()).toEqual(before);
  const reapplied = await transaction(operator, (tx) => reapplyRemovals(tx, removals));
  expect([reapplied.applied, await state()]).toEqual([2, deleted]);
});
