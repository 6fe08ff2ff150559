import type { Pool } from 'pg';
import { createOrganization } from '../src/catalog/organizations.ts';
import { onlyRow } from '../src/db/only_row.ts';
import { type Tx, transaction } from '../src/db/pool.ts';
import { evaluate, nextTimerMs } from '../src/evaluation/pure/alerts/evaluate.ts';
import { INITIAL_STATE, type TankState } from '../src/evaluation/pure/alerts/tank_state.ts';
import { encodeState } from '../src/evaluation/state_codec.ts';
import { HOUR_MS } from '../src/values/time.ts';

export const TEMPLATES = 60;
const CITIES = 200;
const SURNAMES = Array.from({ length: 40 }, (_, n) =>
  n === 0 ? 'López' : `Surname${String.fromCharCode(65 + n / 26, 65 + (n % 26))}`,
);
/** The last readings of the tanks are spread over one day, so that in each round a new day begins for a twelfth of the tanks. */
export const READINGS_PER_DAY = 12;
const USE_POINTS_PER_DAY = 0.5;

export interface BulkFleet {
  /** The largest organization. */
  organizationNo: number;
  /** An organization of average size; the largest one if there is only one. */
  averageOrganizationNo: number;
  /** Tanks of all organizations. */
  tanks: number;
  firstTankNo: number;
  /** The first tank of the largest organization and its owner. */
  tankId: string;
  ownerId: string;
  cadenceMs: number;
  /** The last reading of a tank. */
  latestOf: (tankNo: number) => { atMs: number; fillPercentage: number };
}

export interface BulkFleetOptions {
  tanks: number;
  tanksPerOwner: number;
  latestMs: number;
  cadenceMs?: number;
  /** The number of cadences over which the last readings of the tanks are spread. Default: one day. */
  spreadReadings?: number;
  /** If there is more than one, the first one has three of ten tanks, and the others share the rest. */
  organizations?: number;
  /** False leaves out the indexes of texts, which take half of the time. */
  hasSearch?: boolean;
  log: (line: string) => void;
}

/**
 * Creates organizations with many tanks by a few large statements. Triggers are off, and indexes are built afterwards: a
 * million tanks take a minute or two instead of twenty.
 */
export async function createFleet(
  owner: Pool,
  {
    tanks,
    tanksPerOwner,
    latestMs,
    cadenceMs = (24 / READINGS_PER_DAY) * HOUR_MS,
    spreadReadings = READINGS_PER_DAY,
    organizations = 1,
    hasSearch = true,
    log,
  }: BulkFleetOptions,
): Promise<BulkFleet> {
  const organizationNo = await transaction(owner, (tx) => createOrganization(tx, { code: 'a0bench', name: 'Bench' }));
  const templates = Array.from({ length: TEMPLATES }, (_, n) =>
    foldTemplate(25 + n, latestMs - (n % spreadReadings) * cadenceMs, cadenceMs),
  );
  log(`creating ${tanks} tanks`);
  if (!hasSearch) await owner.query('drop index tank_texts_by_text, customer_texts_by_text');
  await withoutIndexes(
    owner,
    [
      'customers',
      'tanks',
      'device_assignments',
      'fleet_tanks',
      'fleet_levels',
      'tank_states',
      'tank_texts',
      'customer_texts',
      'events',
    ],
    () =>
      transaction(owner, async (tx) => {
        await tx.query('set local session_replication_role = replica'); // no triggers, no foreign keys
        await insertCatalog(tx, { organizationNo, organizations, tanks, tanksPerOwner });
        await insertStates(tx, templates);
        if (organizations > 1) await insertRefills(tx);
      }),
  );
  log('counting tanks');
  await countCatalog(owner);
  const { rows } = await owner.query<{ no: number; id: string; owner_id: string; average_no: number }>(
    `select t.no, t.id, c.id as owner_id, (select max(no) - count(*) / 3 from organizations)::int as average_no
     from tanks t join customers c on c.no = t.owner_no order by t.no limit 1`,
  );
  const first = onlyRow(rows);
  return {
    organizationNo,
    averageOrganizationNo: first.average_no,
    tanks,
    firstTankNo: first.no,
    tankId: first.id,
    ownerId: first.owner_id,
    cadenceMs,
    latestOf: (tankNo) => {
      const { atMs, fillPercentage } = templates[tankNo % TEMPLATES] ?? { atMs: 0, fillPercentage: 0 };
      return { atMs, fillPercentage };
    },
  };
}

/** The points that every tank uses in a time. Readings made with it fit the states of the tanks. */
export const usedPoints = (durationMs: number): number => (durationMs / (24 * HOUR_MS)) * USE_POINTS_PER_DAY;

interface Template {
  state: TankState;
  atMs: number;
  fillPercentage: number;
}

/** Evaluates ten days of readings. */
function foldTemplate(lastFill: number, atMs: number, cadenceMs: number): Template {
  const settings = { minFillAlertPercentage: 20, capacity: 500, capacityUnit: 'liters' } as const;
  let state: TankState = INITIAL_STATE;
  for (let age = 10 * 24 * HOUR_MS; age >= 0; age -= cadenceMs) {
    const fillPercentage = Math.round((lastFill + usedPoints(age)) * 100) / 100;
    state = evaluate(settings, state, { kind: 'reading', atMs: atMs - age, fillPercentage }).state;
  }
  return { state, atMs, fillPercentage: lastFill };
}

/** Drops the indexes of tables that no constraint needs, and creates them again after the work. */
async function withoutIndexes(owner: Pool, tables: readonly string[], work: () => Promise<void>): Promise<void> {
  const { rows: indexes } = await owner.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index i where indrelid = any ($1::regclass[])
       and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
    [tables],
  );
  for (const { name } of indexes) await owner.query(`drop index ${name}`);
  await work();
  for (const { definition } of indexes) await owner.query(definition);
}

/** The number of tanks of the largest organization among ten consecutive ones. This spreads the tanks of each organization over the table. */
const LARGEST_OF_TEN = 3;

async function insertCatalog(
  tx: Tx,
  {
    organizationNo,
    organizations,
    tanks,
    tanksPerOwner,
  }: Pick<BulkFleetOptions, 'tanks' | 'tanksPerOwner'> & { organizationNo: number; organizations: number },
): Promise<void> {
  const others = organizations - 1;
  const largest = others === 0 ? 10 : LARGEST_OF_TEN;
  const largestOwners = Math.ceil((tanks * largest) / 10 / tanksPerOwner);
  const ownersOfOther = others === 0 ? 0 : Math.ceil((tanks * (10 - largest)) / 10 / others / tanksPerOwner);
  const owners = largestOwners + others * ownersOfOther;
  await tx.query(
    `insert into organizations (code, name) select 'a0o' || n, 'Organization ' || n from generate_series(1, $1::int) n`,
    [others],
  );
  await tx.query(
    `insert into customers (id, organization_no, email, name, phone, external_key, created_at)
     select gen_random_uuid(), case when n < $4 then $1 else $1 + 1 + (n - $4) % greatest($5::int, 1) end, 'c' || n || '@example.com', ($3::text[])[1 + n % 40] || ' ' || n,
            '802-' || lpad((n / 10000)::text, 3, '0') || '-' || lpad((n % 10000)::text, 4, '0'), 'K' || n,
            now() - (1 - n::float8 / $2) * interval '1000 days'
     from generate_series(0, $2::int - 1) n`,
    [organizationNo, owners, SURNAMES, largestOwners, others],
  );
  await tx.query(
    `insert into tanks (id, organization_no, owner_no, assigned_device_id, capacity, capacity_unit, use_case, city, street,
                        street_number, latitude, longitude, min_fill_alert_percentage, name, created_at)
     select gen_random_uuid(), c.organization_no, c.no, 'D' || n, 500, 'liters',
            case when n % 50 = 0 then 'commercial' else 'residential' end, 'City ' || n % ${CITIES},
            (array['Church Street', 'Main Street', 'Mill Road', 'Hill Road'])[1 + (n / 7) % 4], (1 + n % 300)::text,
            15 + 15 * random(), -115 + 25 * random(), 20, 'Tank ' || n,
            now() - (1 - n::float8 / $2) * interval '1000 days'
     from generate_series(0, $2::int - 1) n
     cross join (select min(no) as first_owner from customers) as o
     join customers c on c.no = first_owner + case
       when n % 10 < $4 then (n / 10 * $4 + n % 10) % $3::int
       else $3 + (n / 10 * (10 - $4) + n % 10 - $4) % greatest($1 - $3, 1) end
     order by n`,
    [owners, tanks, largestOwners, largest],
  );
  await tx.query(
    `insert into device_assignments (organization_no, device_id, tank_no, from_at)
     select organization_no, assigned_device_id, no, '-infinity' from tanks`,
  );
  await tx.query('truncate customer_texts, tank_texts, search_words'); // triggers have written those of a customer who existed before
  await tx.query(
    `insert into customer_texts (no, organization_no, text, sort_name)
     select no, organization_no, customer_text(name, email, phone, external_key), customer_sort_name(name)
     from customers order by no`,
  );
  await tx.query(
    `insert into tank_texts (no, organization_no, text)
     select t.no, t.organization_no, tank_text(t, c) from tanks t join customers c on c.no = t.owner_no order by t.no`,
  );
  await tx.query(
    `insert into search_words (organization_no, word, n)
     select organization_no, word, count(*)
     from (
       select organization_no, name as text from customers
       union all select organization_no, words_of_tank(t) from tanks t
     ) as named cross join lateral words_of_text(text) as word group by organization_no, word`,
  );
}

/** Gives each tank a state that was computed from readings. Days and levels in fleet_tanks vary, so that filters select different tanks. */
async function insertStates(tx: Tx, templates: readonly Template[]): Promise<void> {
  await tx.query(
    `insert into tank_states (tank_no, latest_fill_percentage, latest_at, encoded_state, timer_at)
     select no, t.fill, to_timestamp(t.ms / 1000), t.state, to_timestamp(t.timer_ms / 1000)
     from tanks
     join unnest($1::real[], $2::float8[], $3::text[], $4::float8[]) with ordinality as t (fill, ms, state, timer_ms, n)
       on t.n = no % ${TEMPLATES} + 1
     order by no`,
    [
      templates.map(({ fillPercentage }) => fillPercentage),
      templates.map(({ atMs }) => atMs),
      templates.map(({ state }) => encodeState(state)),
      templates.map(({ state }) => nextTimerMs(state)),
    ],
  );
  await tx.query(
    `with t as (select *, random() as x, random() as y from tanks), levels as (
       insert into fleet_levels (tank_no, organization_no, fill, latest_on)
       select no, organization_no, (x * 80)::int, current_date - (y * 3)::int from t order by no
     )
     insert into fleet_tanks (tank_no, organization_no, owner_no, city, use_case, is_low, is_silent,
       is_gauge_unreliable, losing_seen_at, threshold_on, empty_on, refilled_on)
     select no, organization_no, owner_no, city, use_case, x < 0.02, y < 0.02, y between 0.02 and 0.022,
            case when y between 0.03 and 0.0305 then now() else '-infinity' end,
            case when x < 0.02 then '-infinity' else current_date + (1 + 200 * (x - 0.02))::int end,
            current_date + (1 + 300 * x)::int,
            current_date - ((1 - x) * 120)::int  -- the fuller a tank, the later it was refilled
     from t order by no`,
  );
}

/** Inserts a refill of every seventh tank on its day in fleet_tanks. Without events PostgreSQL would plan for an empty table. */
async function insertRefills(tx: Tx): Promise<void> {
  await tx.query(
    `insert into events (id, organization_no, tank_no, type, occurred_at, recorded_at, data, readings, notify, change_number)
     select gen_random_uuid(), organization_no, tank_no, 'tank.refilled', refilled_on, refilled_on,
            '{"delivered_volume": 300, "volume_unit": "liters"}', '[]', false, 1
     from fleet_tanks where tank_no % 7 = 0 order by refilled_on, tank_no`,
  );
}

/** Computes the counters that triggers would have maintained. */
async function countCatalog(owner: Pool): Promise<void> {
  await owner.query('truncate catalog_month_counters');
  for (const [list, table, scope] of [
    ['organization_customers', 'customers', 'organization_no'],
    ['organization_tanks', 'tanks', 'organization_no'],
    ['owner_tanks', 'tanks', 'owner_no'],
  ] as const) {
    await owner.query(
      `insert into catalog_month_counters (list, scope_no, month, n)
       select '${list}', ${scope}, utc_month(created_at), count(*) from ${table} group by 2, 3 order by 2, 3`,
    );
  }
  await owner.query(
    'select split_catalog_bucket(list, scope_no, month, 0) from catalog_month_counters where n > max_bucket_items()',
  );
}
