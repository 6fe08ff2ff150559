import type pg from 'pg';
import { arrayLiteral, type Tx, transaction } from '../db/pool.ts';
import { compareWithStored } from './compare.ts';
import { countIntoParts, type Month } from './parts.ts';

/** A reading that knows its tank. */
export interface TankReading {
  tankNo: number;
  /** ISO 8601, UTC, with milliseconds. */
  createdAt: string;
  fillPercentage: number;
}

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
  readonly #months = new Set<string>();

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** All of them in one transaction: when this returns, they are committed. */
  async store(readings: readonly TankReading[]): Promise<StoreResult> {
    await this.ensureMonths(readings.map((reading) => Date.parse(reading.createdAt)));
    return transaction(this.#pool, (tx) => storeReadings(tx, readings));
  }

  /** Before the transaction and not inside it: a partition is made under a lock that a long batch must not hold. */
  async ensureMonths(timesMs: readonly number[]): Promise<void> {
    const months = new Set<number>();
    for (const timeMs of timesMs) {
      const time = new Date(timeMs);
      months.add(Date.UTC(time.getUTCFullYear(), time.getUTCMonth()));
    }
    for (const monthMs of months) {
      const month = new Date(monthMs).toISOString();
      if (this.#months.has(month)) continue;
      await this.#pool.query('select ensure_telemetry_month($1)', [month]);
      this.#months.add(month);
    }
  }
}

/**
 * Everything is decided under the locks of the tanks concerned: what is newer than a tank's latest cannot be there yet,
 * and only the rest is looked up. So inserts need no ON CONFLICT, which costs a third of them, and counters are added
 * up here.
 */
export async function storeReadings(tx: Tx, readings: readonly TankReading[]): Promise<StoreResult> {
  if (readings.length === 0) return { stored: 0, known: 0, conflicts: [] };
  const latest = await lockTanks(tx, new Set(readings.map(({ tankNo }) => tankNo)));

  // Where a list says two things of one moment, the first is taken, as it is when they arrive one after the other.
  const firsts = new Map<string, TankReading>();
  const fresh: TankReading[] = [];
  const older: TankReading[] = [];
  for (const reading of readings) {
    const key = keyOf(reading);
    if (firsts.has(key)) continue;
    firsts.set(key, reading);
    (isNewer(reading, latest) ? fresh : older).push(reading);
  }
  const kept = await readKept(tx, older);
  for (const reading of older) if (!kept.has(keyOf(reading))) fresh.push(reading);
  await insertFresh(tx, fresh, latest);
  if (fresh.length === readings.length) return { stored: fresh.length, known: 0, conflicts: [] };

  const conflicts = readings.flatMap((reading, index) => {
    const key = keyOf(reading);
    const there = kept.get(key) ?? firsts.get(key)?.fillPercentage ?? reading.fillPercentage;
    return toHundredths(there) === toHundredths(reading.fillPercentage) ? [] : [{ index, kept: there }];
  });
  return { stored: fresh.length, known: readings.length - fresh.length - conflicts.length, conflicts };
}

/** A level is kept to 0.01. */
const toHundredths = (fillPercentage: number): number => Math.round(fillPercentage * 100);

const keyOf = ({ tankNo, createdAt }: TankReading): string => `${tankNo} ${createdAt}`;

/** By tank, the time of the newest reading; the empty text, which sorts before all times, where there was none yet. */
type Latest = Map<number, string>;

/** Times of one length sort as texts do. */
const isNewer = ({ tankNo, createdAt }: TankReading, latest: Latest): boolean => createdAt > (latest.get(tankNo) ?? '');

/**
 * A tank's row in tank_states is its lock: writers take it before they touch the tank's readings and counters, in tank
 * order, so that two of them never wait for each other in a circle.
 */
async function lockTanks(tx: Tx, tankNos: ReadonlySet<number>): Promise<Latest> {
  const latest: Latest = new Map();
  const lock = async (): Promise<number[]> => {
    const wanted = [...tankNos].filter((tankNo) => !latest.has(tankNo));
    const { rows } = await tx.query<{ tank_no: number; latest_at: string }>({
      name: 'lock_tanks',
      text: `select tank_no, latest_at from tank_states where tank_no = any ($1::int[])
             order by tank_no for no key update`,
      values: [arrayLiteral(wanted)],
    });
    for (const { tank_no, latest_at } of rows) latest.set(tank_no, latest_at === '-infinity' ? '' : latest_at);
    return wanted.filter((tankNo) => !latest.has(tankNo));
  };
  const unknown = await lock();
  if (unknown.length === 0) return latest;
  // Whose first reading this is has no row yet. Another writer may be making it at the same moment.
  await tx.query(
    `insert into tank_states (tank_no, latest_at, latest_fill_percentage)
     select tank_no, '-infinity', 0 from unnest($1::int[]) as tank_no order by tank_no
     on conflict do nothing`,
    [arrayLiteral(unknown)],
  );
  await lock();
  return latest;
}

/** What is stored already at the time of each of these. */
async function readKept(tx: Tx, readings: readonly TankReading[]): Promise<Map<string, number>> {
  if (readings.length === 0) return new Map();
  const compared = await compareWithStored(tx, readings);
  return new Map(
    readings.flatMap((reading, at) => {
      const found = compared[at];
      return found === undefined || found.is_new ? [] : [[keyOf(reading), found.kept] as const];
    }),
  );
}

/** Readings that are not there yet, their months' counters and their tanks' latest, in one statement. */
async function insertFresh(tx: Tx, readings: readonly TankReading[], latest: Latest): Promise<void> {
  if (readings.length === 0) return;
  const months = new Map<string, Month>();
  const newest = new Map<number, TankReading>();
  for (const reading of readings) {
    const { tankNo, createdAt } = reading;
    const starts_at = `${createdAt.slice(0, 7)}-01T00:00:00.000Z`;
    const month = months.get(`${tankNo} ${starts_at}`);
    if (month) month.n++;
    else months.set(`${tankNo} ${starts_at}`, { tank_no: tankNo, starts_at, n: 1 });
    if (createdAt > (newest.get(tankNo)?.createdAt ?? latest.get(tankNo) ?? '')) newest.set(tankNo, reading);
  }
  const counts = [...months.values()];
  const states = [...newest.values()];

  // Sorted: unsorted, eight writers deadlocked 19 times in six seconds.
  const { rows: grown } = await tx.query<Month>({
    name: 'insert_readings',
    text: `with stored as (
         insert into telemetry (tank_no, created_at, fill_percentage)
         select tank_no, created_at, fill_percentage
         from unnest($1::int[], $2::timestamptz[], $3::real[]) as r (tank_no, created_at, fill_percentage)
         order by tank_no, created_at
       ), states as (
         update tank_states s set latest_at = r.created_at, latest_fill_percentage = r.fill_percentage
         from unnest($4::int[], $5::timestamptz[], $6::real[]) as r (tank_no, created_at, fill_percentage)
         where s.tank_no = r.tank_no
       ), months as (
         insert into telemetry_months as m (tank_no, month, n)
         select tank_no, month, n from unnest($7::int[], $8::timestamptz[], $9::int[]) as r (tank_no, month, n)
         order by tank_no, month
         on conflict (tank_no, month) do update set n = m.n + excluded.n
         returning tank_no, month, n
       )
       select tank_no, month as starts_at, n from months where n > $10`,
    values: [
      ...columnsOf(readings),
      ...columnsOf(states),
      arrayLiteral(counts.map((month) => month.tank_no)),
      arrayLiteral(counts.map((month) => month.starts_at)),
      arrayLiteral(counts.map((month) => month.n)),
      MAX_PART_READINGS,
    ],
  });
  if (grown.length > 0) await countIntoParts(tx, grown, readings, MAX_PART_READINGS);
}

/** Above this a month, or a part of one, is cut (see the list engine) into pieces of 1,500. */
const MAX_PART_READINGS = 2_000;

const columnsOf = (readings: readonly TankReading[]): string[] => [
  arrayLiteral(readings.map((reading) => reading.tankNo)),
  arrayLiteral(readings.map((reading) => reading.createdAt)),
  arrayLiteral(readings.map((reading) => toHundredths(reading.fillPercentage) / 100)),
];
