import { Registry } from 'prom-client';
import { expect, onTestFinished } from 'vitest';
import { readAuditPage } from '../../src/catalog/audit_log.ts';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { transaction } from '../../src/db/pool.ts';
import { readSequenceUse } from '../../src/db/sequence_use.ts';
import { readManagedNotes } from '../../src/deliveries/managed_delivery_note.ts';
import { pinNote } from '../../src/deliveries/note_changes.ts';
import { silentLogger } from '../../src/health/outage.ts';
import { DatabaseWatch } from '../../src/worker/database_watch.ts';
import { workerMetrics } from '../../src/worker/metrics.ts';
import { givenRound } from '../support/driven_rounds.ts';
import { givenOrganization } from '../support/fleet.ts';
import { recordRefills, refillOf, settle } from '../support/ledger.ts';
import { type TestDatabase, test } from '../support/test.ts';

const useOf = async ({ worker }: TestDatabase, name: string): Promise<number | undefined> =>
  (await readSequenceUse(worker)).find((sequence) => sequence.name === name)?.used_share;

test('the use of every sequence is known, also of those of the job queue', async ({ database }) => {
  const { rows } = await database.owner.query<{ n: number }>('select count(*) as n from pg_sequences');
  const names = (await readSequenceUse(database.operator)).map(({ name }) => name);
  expect(new Set(names).size).toBe(rows[0]?.n);
  expect(names).toEqual(expect.arrayContaining(['tanks.no', 'sessions.no', 'graphile_worker._private_jobs.id']));
});

test('the used share of a sequence refers to the range of the cell and the column type', async ({ database }) => {
  const { owner } = database;
  // Cell 3 has the numbers from 120,000,001 to 160,000,000.
  await owner.query(
    `alter table webhook_endpoints alter column no
     set minvalue 120000001 set maxvalue 160000000 set start 120000001 restart`,
  );
  expect(await useOf(database, 'webhook_endpoints.no')).toBe(0);
  await owner.query(`select setval(pg_get_serial_sequence('webhook_endpoints', 'no'), 140000000)`);
  expect(await useOf(database, 'webhook_endpoints.no')).toBe(0.5);
  expect(await useOf(database, 'tanks.no')).toBe(0);
  // A column can be narrower than its sequence.
  await owner.query('create sequence narrow_seq; create table narrow (id int default nextval($$narrow_seq$$))');
  await owner.query(`alter sequence narrow_seq owned by narrow.id; select setval('narrow_seq', 2147483647)`);
  expect(await useOf(database, 'narrow.id')).toBe(1);
  await owner.query('drop table narrow');
});

test('a worker exports the share of each sequence', async ({ database }) => {
  await database.owner.query('alter table contacts alter column no set maxvalue 40000000');
  await database.owner.query(`select setval(pg_get_serial_sequence('contacts', 'no'), 30000000)`);
  const registry = new Registry();
  const metrics = workerMetrics(registry);
  const watch = new DatabaseWatch({ pool: database.worker, folders: {}, metrics, logger: silentLogger });
  onTestFinished(() => watch.close());
  await expect
    .poll(() => registry.getSingleMetricAsString('tankwatch_sequence_used_ratio'))
    .toContain('tankwatch_sequence_used_ratio{sequence="contacts.no"} 0.75');
});

test('a session can have a number that exceeds an int, and session_credentials gives it an int of its own', async ({
  database,
}) => {
  const { owner } = database;
  const organizationNo = await givenOrganization(owner);
  await owner.query(
    `insert into contacts (id, organization_no, email, types) values (gen_random_uuid(), $1, 'ops@example.com', '{}')`,
    [organizationNo],
  );
  await owner.query('alter table sessions alter column no restart with 2000000000');
  for (const prefix of ['a0first', 'a0second', 'a0third'])
    await owner.query(
      `insert into sessions (prefix, secret_sha256, contact_no, organization_no, requests_per_second, burst, expires_at)
       select $1, sha256('x'), no, organization_no, 1, 1, now() + interval '1 hour' from contacts limit 1`,
      [prefix],
    );
  await owner.query('alter table sessions alter column no restart with 60000000000007');
  await owner.query(
    `insert into sessions (prefix, secret_sha256, contact_no, organization_no, requests_per_second, burst, expires_at)
     select 'a0moved', sha256('x'), no, organization_no, 1, 1, now() + interval '1 hour' from contacts limit 1`,
  );
  const { rows } = await database.api.query('select prefix, no from session_credentials order by prefix');
  expect(rows).toEqual([
    { prefix: 'a0first', no: -2_000_000_000 },
    { prefix: 'a0moved', no: -7 },
    { prefix: 'a0second', no: -1 },
    { prefix: 'a0third', no: -2 },
  ]);
});

test('notes, stops and entries of drivers can have numbers that exceed an int, also in all tables that refer to them', async ({
  database,
}) => {
  const { owner, manager, worker } = database;
  for (const table of ['delivery_notes', 'round_stops', 'driver_entries'])
    await owner.query(`alter table ${table} alter column no restart with 60000000000007`);
  const organizationNo = await givenOrganization(owner);
  const { id, no, stops } = await givenRound(owner, organizationNo, { stops: 1 });
  const [{ tankId, tankNo } = { tankId: '', tankNo: 0 }] = stops;
  await owner.query(
    `select record_driver_word($1, 0, gen_random_uuid(), 1, $2, 'delivered', 400, 'liters', null, null, now(), 'A', '1', null)`,
    [id, tankId],
  );
  const [note] = await readManagedNotes(manager, organizationNo, { keys: [{ series: 'A', number: '1' }] });
  expect(note?.no).toBe(60_000_000_000_007);
  const [fromMs, toMs] = [Date.now() - 60_000, Date.now()];
  await recordRefills(owner, [refillOf({ organizationNo, tankNo }, { fromMs, toMs, liters: 400 })]);
  await settle(worker);
  const pin = { tankId, kind: 'together' as const, refillAt: new Date(toMs).toISOString() };
  await transaction(manager, (tx) => pinNote(operatorChange(tx, organizationNo), note?.object.id ?? '', pin));
  await settle(worker);
  const { rows } = await owner.query(
    `select (select note_nos[1] from ledger_entries) as ledger, (select note_no from note_pins) as pin,
            (select outcome from round_stop_outcomes where stop_no = s.no) as outcome, s.no as stop,
            (select no from driver_entries) as entry
     from round_stops s where s.round_no = $1`,
    [no],
  );
  const first = 60_000_000_000_007;
  expect(rows).toEqual([{ ledger: first, pin: first, outcome: 'delivered', stop: first, entry: first }]);
  expect(await readAuditPage(manager, organizationNo, { size: 100, beforeNo: null })).toContainEqual(
    expect.objectContaining({ changed: 'delivery_note', action: 'create', changed_id: note?.object.id }),
  );
});

test('an organization gets a route tag that no other organization of its slot has', async ({ database }) => {
  const { owner } = database;
  await owner.query(`insert into organizations (code, name) select 'z9' || n, 'Z' from generate_series(1, 300) as n`);
  const { rows } = await owner.query<{ tags: number; wrong: number }>(
    `select count(distinct route_tag)::int as tags,
            count(*) filter (where route_tag !~ '^[01][a-km-np-z2-9]{3}$')::int as wrong
     from organizations where code like 'z9%'`,
  );
  expect(rows).toEqual([{ tags: 300, wrong: 0 }]);
});
