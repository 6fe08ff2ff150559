import type { Pool } from 'pg';
import { repeat } from '../engines/repeat.ts';
import { type Tx, transaction } from '../src/db/pool.ts';
import { ingestReadings } from '../src/ingest/ingest_batch.ts';
import { Random } from '../src/simulation/random.ts';
import type { TankReading } from '../src/telemetry/reading.ts';
import { type BulkFleet, usedPoints } from './bulk_fleet.ts';

/** Yields readings as devices send them: in each round every tank reports once, in a shuffled order. */
export function* arrivingReadings(fleet: BulkFleet, tanks: number): Generator<TankReading, never> {
  const { firstTankNo, cadenceMs, latestOf } = fleet;
  for (let round = 1; ; round++) {
    for (const tankNo of shuffledNumbers(firstTankNo, tanks, round)) {
      const { atMs, fillPercentage } = latestOf(tankNo);
      const laterMs = round * cadenceMs;
      yield { tankNo, atMs: atMs + laterMs, fillPercentage: Math.max(0, fillPercentage - usedPoints(laterMs)) };
    }
  }
}

/** Takes the next readings, and sorts them by tank and time as a writer does. */
export const nextBatch = (arriving: Generator<TankReading, never>, readings: number): TankReading[] =>
  Array.from({ length: readings }, () => arriving.next().value).toSorted(
    (a, b) => a.tankNo - b.tankNo || a.atMs - b.atMs,
  );

function shuffledNumbers(first: number, count: number, seed: number): Int32Array {
  const random = new Random(seed);
  const numbers = Int32Array.from({ length: count }, (_, n) => first + n);
  for (let n = count - 1; n > 0; n--) {
    const other = Math.floor(random.next() * (n + 1));
    [numbers[n], numbers[other]] = [numbers[other] ?? 0, numbers[n] ?? 0];
  }
  return numbers;
}

/** Ingests a batch, pauses for half a second, and goes on until it is disposed. */
export function keepIngesting(ingest: (batch: TankReading[]) => Promise<unknown>, next: () => TankReading[]) {
  let stored = 0;
  const startMs = performance.now();
  const ingesting = repeat(500, async () => {
    const batch = next();
    await ingest(batch);
    stored += batch.length;
  });
  return {
    perSecond: () => (stored * 1_000) / (performance.now() - startMs),
    [Symbol.asyncDispose]: () => ingesting.stop(),
  };
}

/** Ingests a batch as the writer does, but leaves out the statements that change fleet_tanks and fleet_levels. */
export const ingestWithoutFleetRows = (pool: Pool, batch: TankReading[]): Promise<unknown> =>
  transaction(pool, (tx) => ingestReadings(withoutFleetRows(tx), batch));

const withoutFleetRows = (tx: Tx): Tx =>
  new Proxy(tx, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (property !== 'query' || typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        const [statement] = args;
        const isLeftOut =
          typeof statement === 'object' &&
          statement !== null &&
          ['save_fleet_levels', 'save_fleet_rows'].includes(String(Reflect.get(statement, 'name')));
        return isLeftOut ? Promise.resolve({ rows: [] }) : Reflect.apply(value, target, args);
      };
    },
  });
