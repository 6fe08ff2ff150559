import type pg from 'pg';
import { arrayLiteral, type Tx, textArrayLiteral, transaction } from '../db/pool.ts';
import { saveCheckpoints } from '../evaluation/checkpoints.ts';
import {
  evaluateReadings,
  TANK_STATE_COLUMNS,
  type TankStateRow,
  type TankToEvaluate,
  type TankUpdate,
  tankToEvaluate,
} from '../evaluation/evaluate_readings.ts';
import { recordEvents } from '../evaluation/record_events.ts';
import { countIntoBuckets, type MonthCounter, startOfMonthMs } from '../telemetry/counter_buckets.ts';
import { findExistingReadings } from '../telemetry/existing_readings.ts';
import type { TankReading } from '../telemetry/reading.ts';

export interface StoreResult {
  stored: number;
  /** Readings whose tank and time were there already, with the same value. */
  known: number;
  /** Readings whose tank has, or was given earlier in the list, another value at their time. */
  conflicts: Conflict[];
}

export interface Conflict {
  /** Its place in the list. */
  index: number;
  /** What the tank has. */
  kept: number;
}

/** Stores readings once each, with exact counters and each tank's latest. Any order, any repeats, any number of these. */
export class ReadingStore {
  readonly #pool: pg.Pool;
  /** Months whose partition is known to exist. */
  readonly #months = new Set<number>();

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** All of them in one transaction: when this returns, they are committed. */
  async store(readings: readonly TankReading[]): Promise<StoreResult> {
    await this.ensureMonths(readings.map((reading) => reading.atMs));
    return transaction(this.#pool, (tx) => storeReadings(tx, readings));
  }

  /** Before the transaction and not inside it: a partition is made under a lock that a long batch must not hold. */
  async ensureMonths(timesMs: readonly number[]): Promise<void> {
    for (const month of new Set(timesMs.map(startOfMonthMs))) {
      if (this.#months.has(month)) continue;
      await this.#pool.query('select ensure_telemetry_month($1)', [new Date(month).toISOString()]);
      this.#months.add(month);
    }
  }
}

/**
 * Everything is decided under the locks of the tanks concerned: what is newer than a tank's latest cannot be there yet,
 * and only the rest is looked up. So inserts need no ON CONFLICT, which costs a third of them, and counters are added
 * up here.
 */
export async function storeReadings(
  tx: Tx,
  readings: readonly TankReading[],
  isEvaluating = true,
): Promise<StoreResult> {
  if (readings.length === 0) return { stored: 0, known: 0, conflicts: [] };
  const tanks = await lockTanks(tx, new Set(readings.map(({ tankNo }) => tankNo)), isEvaluating);

  // Where a list says two things of one moment, the first is taken, as it is when they arrive one after the other.
  // Sorting keeps the order of equals, so that the first of them is the first given.
  const sorted = readings.toSorted(byTankAndTime);
  const firsts = sorted.filter((reading, at) => at === 0 || byTankAndTime(sorted[at - 1] ?? reading, reading) !== 0);
  const kept = await readKept(
    tx,
    firsts.filter((reading) => !isNewer(reading, tanks)),
  );
  const fresh = kept.size === 0 ? firsts : firsts.filter((reading) => !kept.has(keyOf(reading)));
  await insertFresh(tx, fresh, tanks);
  if (fresh.length === readings.length) return { stored: fresh.length, known: 0, conflicts: [] };

  const said = new Map(firsts.map((reading) => [keyOf(reading), reading.fillPercentage]));
  const conflicts = readings.flatMap((reading, index) => {
    const key = keyOf(reading);
    const there = kept.get(key) ?? said.get(key) ?? reading.fillPercentage;
    return toHundredths(there) === toHundredths(reading.fillPercentage) ? [] : [{ index, kept: there }];
  });
  return { stored: fresh.length, known: readings.length - fresh.length - conflicts.length, conflicts };
}

const byTankAndTime = (a: TankReading, b: TankReading): number => a.tankNo - b.tankNo || a.atMs - b.atMs;

/** A level is kept to 0.01. */
const toHundredths = (fillPercentage: number): number => Math.round(fillPercentage * 100);

const keyOf = ({ tankNo, atMs }: TankReading): string => `${tankNo} ${atMs}`;

/** A tank under its lock. */
interface LockedTank {
  /** Of its newest reading; before all times where there was none yet. */
  latestMs: number;
  /** Null for a tank that is in no catalog, or while events are switched off: then nobody asks what readings mean. */
  judged: TankToEvaluate | null;
}
type Tanks = Map<number, LockedTank>;

const isNewer = ({ tankNo, atMs }: TankReading, tanks: Tanks): boolean =>
  atMs > (tanks.get(tankNo)?.latestMs ?? Number.NEGATIVE_INFINITY);

/**
 * A tank's row in tank_states is its lock: writers take it before they touch the tank's readings and counters, in tank
 * order, so that two of them never wait for each other in a circle.
 */
async function lockTanks(tx: Tx, tankNos: ReadonlySet<number>, isEvaluating: boolean): Promise<Tanks> {
  const tanks: Tanks = new Map();
  const lock = async (): Promise<number[]> => {
    const wanted = [...tankNos].filter((tankNo) => !tanks.has(tankNo));
    const { rows } = await tx.query<StateRow>({
      name: 'lock_tanks',
      text: `select s.tank_no, date_part('epoch', s.latest_at) * 1000 as latest_ms, ${TANK_STATE_COLUMNS}
             from tank_states s left join tank_settings f on f.tank_no = s.tank_no
             where s.tank_no = any ($1::int[]) order by s.tank_no for no key update of s`,
      values: [arrayLiteral(wanted)],
    });
    for (const row of rows) {
      const latestMs = Math.round(row.latest_ms);
      const judged = isEvaluating ? tankToEvaluate(row, Number.isFinite(latestMs)) : null;
      tanks.set(row.tank_no, { latestMs, judged });
    }
    return wanted.filter((tankNo) => !tanks.has(tankNo));
  };
  const unknown = await lock();
  if (unknown.length === 0) return tanks;
  // Whose first reading this is has no row yet. Another writer may be making it at the same moment.
  await tx.query(
    `insert into tank_states (tank_no, latest_at, latest_fill_percentage)
     select tank_no, '-infinity', 0 from unnest($1::int[]) as tank_no order by tank_no
     on conflict do nothing`,
    [arrayLiteral(unknown)],
  );
  await lock();
  return tanks;
}

type StateRow = TankStateRow & { latest_ms: number };

/** What is stored already at the time of each of these. */
async function readKept(tx: Tx, readings: readonly TankReading[]): Promise<Map<string, number>> {
  if (readings.length === 0) return new Map();
  const compared = await findExistingReadings(tx, readings);
  return new Map(
    readings.flatMap((reading, at) => {
      const found = compared[at];
      return found === undefined || found.is_new ? [] : [[keyOf(reading), found.kept] as const];
    }),
  );
}

/** Readings that are not there yet, their months' counters, their tanks' latest and what they mean, together. */
async function insertFresh(tx: Tx, sorted: readonly TankReading[], tanks: Tanks): Promise<void> {
  if (sorted.length === 0) return;
  const months = countMonths(sorted);
  const states = judgeTanks(sorted, tanks, Date.now());

  // Sorted: unsorted, eight writers deadlocked 19 times in six seconds.
  const { rows: grown } = await tx.query<MonthCounter>({
    name: 'insert_readings',
    text: `with stored as (
         insert into telemetry (tank_no, created_at, fill_percentage)
         select tank_no, to_timestamp(ms / 1000), fill_percentage
         from unnest($1::int[], $2::float8[], $3::real[]) as r (tank_no, ms, fill_percentage)
       ), states as (
         update tank_states s
         set latest_at = greatest(s.latest_at, to_timestamp(r.ms / 1000)),
             latest_fill_percentage =
               case when to_timestamp(r.ms / 1000) > s.latest_at then r.fill_percentage else s.latest_fill_percentage end,
             encoded_state = r.encoded_state, timer_at = to_timestamp(r.timer_ms / 1000),
             reevaluate_from = to_timestamp(r.reevaluate_from_ms / 1000)
         from unnest($4::int[], $5::float8[], $6::real[], $7::text[], $8::float8[], $9::float8[])
           as r (tank_no, ms, fill_percentage, encoded_state, timer_ms, reevaluate_from_ms)
         where s.tank_no = r.tank_no
       ), months as (
         insert into telemetry_month_counters as m (tank_no, month, n)
         select tank_no, to_timestamp(ms / 1000), n from unnest($10::int[], $11::float8[], $12::int[]) as r (tank_no, ms, n)
         on conflict (tank_no, month) do update set n = m.n + excluded.n
         returning tank_no, month, n
       )
       select tank_no, date_part('epoch', month) * 1000 as starts_ms, n from months where n > max_bucket_items()`,
    values: [
      ...columnsOf(sorted),
      ...columnsOf(states.map(({ newest }) => newest)),
      textArrayLiteral(states.map(({ update }) => update?.encodedState ?? null)),
      arrayLiteral(states.map(({ update }) => update?.timerMs ?? 'null')),
      arrayLiteral(states.map(({ update }) => update?.reevaluateFromMs ?? 'null')),
      arrayLiteral(months.map((month) => month.tank_no)),
      arrayLiteral(months.map((month) => month.starts_ms)),
      arrayLiteral(months.map((month) => month.n)),
    ],
  });
  if (grown.length > 0) await countIntoBuckets(tx, grown, sorted);
  await recordEvents(
    tx,
    states.flatMap(({ update }) => update?.events ?? []),
  );
  await saveCheckpoints(
    tx,
    states.flatMap(({ update }) => update?.checkpoints ?? []),
  );
}

/** Of readings in the order of tanks and times. */
function countMonths(sorted: readonly TankReading[]): MonthCounter[] {
  const months: MonthCounter[] = [];
  for (const { tankNo, atMs } of sorted) {
    const last = months.at(-1);
    const starts_ms = startOfMonthMs(atMs);
    if (last?.tank_no === tankNo && last.starts_ms === starts_ms) last.n++;
    else months.push({ tank_no: tankNo, starts_ms, n: 1 });
  }
  return months;
}

/** Each tank's newest of these readings, and what they mean for it. */
function judgeTanks(
  sorted: readonly TankReading[],
  tanks: Tanks,
  nowMs: number,
): { newest: TankReading; update: TankUpdate | null }[] {
  const states: { newest: TankReading; update: TankUpdate | null }[] = [];
  for (let from = 0; from < sorted.length; ) {
    const tankNo = sorted[from]?.tankNo ?? 0;
    let to = from + 1;
    while (sorted[to]?.tankNo === tankNo) to++;
    const own = sorted.slice(from, to);
    const newest = sorted[to - 1];
    const judged = tanks.get(tankNo)?.judged ?? null;
    if (newest) states.push({ newest, update: judged && evaluateReadings(judged, own, nowMs) });
    from = to;
  }
  return states;
}

const columnsOf = (readings: readonly TankReading[]): string[] => [
  arrayLiteral(readings.map((reading) => reading.tankNo)),
  arrayLiteral(readings.map((reading) => reading.atMs)),
  arrayLiteral(readings.map((reading) => toHundredths(reading.fillPercentage) / 100)),
];
