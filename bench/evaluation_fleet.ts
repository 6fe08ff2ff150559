import type { Pool } from 'pg';
import { createCustomers } from '../src/catalog/customers.ts';
import { createOrganization } from '../src/catalog/organizations.ts';
import { createTanks } from '../src/catalog/tanks.ts';
import { transaction } from '../src/db/pool.ts';
import { evaluate, nextTimerMs } from '../src/evaluation/pure/alerts/evaluate.ts';
import { INITIAL_STATE, type TankState } from '../src/evaluation/pure/alerts/tank_state.ts';
import { encodeState } from '../src/evaluation/state_codec.ts';
import { addContact } from '../src/mail/contacts.ts';
import { HOUR_MS } from '../src/values/time.ts';

export const THRESHOLD = 20;
export const CONTACTS = ['one@mass.example', 'two@mass.example', 'three@mass.example'];
const SETTINGS = { minFillAlertPercentage: THRESHOLD, capacity: 500, capacityUnit: 'liters' } as const;
/** Hourly readings of each tank. Three days are what a late reading makes a writer read again. */
const READINGS = 72;
const TEMPLATES = 40;

export interface Fleet {
  massNo: number;
  otherNo: number;
  /** Tanks of the mass organization, and the first ones of them, which have stored readings. */
  tankNos: { first: number; last: number };
  tanksWithReadings: number;
  /** Time of the latest reading of every tank. */
  latestMs: number;
}

/** One organization with many tanks, all evaluated by the real evaluation, and one with none yet. */
export async function buildFleet(
  owner: Pool,
  tanks: number,
  tanksWithReadings: number,
  latestMs: number,
): Promise<Fleet> {
  const massNo = await transaction(owner, (tx) => createOrganization(tx, { code: 'a0mass', name: 'Mass' }));
  const otherNo = await transaction(owner, (tx) => createOrganization(tx, { code: 'a0other', name: 'Other' }));
  const ownerNo = await givenCustomer(owner, massNo);
  for (const email of CONTACTS) {
    await transaction(owner, (tx) => addContact(tx, massNo, { email, types: ['tank.device_silent'] }));
  }
  // The triggers count and audit, which is not measured here.
  await owner.query('alter table tanks disable trigger user');
  const { rows } = await owner.query<{ first: number; last: number }>(
    `with created as (
       insert into tanks (id, organization_no, owner_no, assigned_device_id, capacity, capacity_unit,
         min_fill_alert_percentage, name)
       select gen_random_uuid(), $1, $2, 'M' || n, 500, 'liters', $3, 'Tank ' || n from generate_series(1, $4::int) as n
       returning no
     ) select min(no) as first, max(no) as last from created`,
    [massNo, ownerNo, THRESHOLD, tanks],
  );
  await owner.query('alter table tanks enable trigger user');
  const [tankNos] = rows;
  if (tankNos === undefined) throw new Error('no tanks were created');
  await storeStates(owner, tankNos, tanksWithReadings, latestMs);
  await owner.query('vacuum analyze tanks, tank_states, telemetry');
  return { massNo, otherNo, tankNos, tanksWithReadings, latestMs };
}

async function storeStates(
  owner: Pool,
  { first, last }: Fleet['tankNos'],
  tanksWithReadings: number,
  latestMs: number,
): Promise<void> {
  const templates = Array.from({ length: TEMPLATES }, (_, n) => foldTemplate(n, latestMs));
  await owner.query(
    `insert into tank_states (tank_no, latest_fill_percentage, latest_at, encoded_state, timer_at)
     select no, t.fill, to_timestamp($1::float8 / 1000), t.state, to_timestamp(t.timer_ms / 1000)
     from tanks join unnest($2::real[], $3::text[], $4::float8[]) with ordinality as t (fill, state, timer_ms, n)
       on t.n = no % ${TEMPLATES} + 1
     where no between $5 and $6 order by no`,
    [
      latestMs,
      templates.map(({ readings }) => readings.at(-1)?.fillPercentage),
      templates.map(({ state }) => encodeState(state)),
      templates.map(({ state }) => nextTimerMs(state)),
      first,
      last,
    ],
  );
  await owner.query(
    `insert into tank_checkpoints (tank_no, week_index, at, encoded_state)
     select tank_no, 0, latest_at, encoded_state from tank_states where tank_no between $1 and $2 order by tank_no`,
    [first, last],
  );
  await owner.query('select ensure_telemetry_month(to_timestamp(ms / 1000)) from unnest($1::float8[]) as ms', [
    [latestMs - READINGS * HOUR_MS, latestMs, Date.now()],
  ]);
  await owner.query(
    `insert into telemetry (tank_no, created_at, fill_percentage)
     select no, to_timestamp(r.ms / 1000), r.fill
     from tanks join unnest($1::int[], $2::float8[], $3::real[]) as r (n, ms, fill) on r.n = no % ${TEMPLATES} + 1
     where no between $4 and $5 order by no, r.ms`,
    [
      templates.flatMap(({ readings }, n) => readings.map(() => n + 1)),
      templates.flatMap(({ readings }) => readings.map(({ atMs }) => atMs)),
      templates.flatMap(({ readings }) => readings.map(({ fillPercentage }) => fillPercentage)),
      first,
      first + tanksWithReadings - 1,
    ],
  );
  await owner.query(
    `insert into telemetry_month_counters (tank_no, month, n)
     select tank_no, utc_month(created_at), count(*) from telemetry where tank_no between $1 and $2 group by 1, 2`,
    [first, last],
  );
}

/** Levels that end between 21 and 80 %: none is low, and some are near the threshold. */
function foldTemplate(n: number, latestMs: number) {
  const endsAt = 21 + (n * 59) / TEMPLATES;
  const readings = Array.from({ length: READINGS }, (_, at) => ({
    atMs: latestMs - (READINGS - 1 - at) * HOUR_MS,
    fillPercentage: Math.round((endsAt + (READINGS - 1 - at) * 0.05) * 100) / 100,
  }));
  let state: TankState = INITIAL_STATE;
  for (const reading of readings) state = evaluate(SETTINGS, state, { kind: 'reading', ...reading }).state;
  return { readings, state };
}

async function givenCustomer(owner: Pool, organizationNo: number): Promise<number> {
  const [customer] = await transaction(owner, (tx) =>
    createCustomers(tx, organizationNo, [{ email: 'customer@example.com', name: 'Customer' }]),
  );
  if (customer === undefined) throw new Error('no customer was created');
  return customer.no;
}

let serial = 0;

/** Tanks of the other organization, for alerts that must not wait for the mass. */
export async function createOtherTanks(owner: Pool, organizationNo: number, tanks: number): Promise<number[]> {
  const ownerNo = await givenCustomer(owner, organizationNo);
  const given = Array.from({ length: tanks }, () => ({
    owner_no: ownerNo,
    assigned_device_id: `O${serial++}`,
    capacity: 500,
    capacity_unit: 'liters' as const,
    min_fill_alert_percentage: THRESHOLD,
    name: 'Tank',
  }));
  const created = await transaction(owner, (tx) => createTanks(tx, organizationNo, given));
  return created.map(({ no }) => no);
}
