import { fireAllTimers } from '../../src/evaluation/fire_timers.ts';
import { reevaluateAllTanks } from '../../src/evaluation/reevaluator.ts';
import type { TankReading } from '../../src/telemetry/reading.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { givenFleet } from './readings.ts';
import type { TestDatabase } from './test.ts';

let serial = 0;

/** A new organization with `count` tanks. Returns their numbers. */
export async function givenTankNos(
  database: TestDatabase,
  count: number,
): Promise<{ organizationNo: number; nos: number[] }> {
  const { organizationNo, tanks } = await givenFleet(
    database,
    Array.from({ length: count }, () => `J${serial++}`),
  );
  return { organizationNo, nos: tanks.map(({ no }) => no) };
}

export const readingsOf = (tankNo: number, series: readonly (readonly [number, number])[]): TankReading[] =>
  series.map(([atMs, fillPercentage]) => ({ tankNo, atMs, fillPercentage }));

/** A level that falls by `pointsPerDay`, with a reading every six hours until now. */
export function falling(fromPercentage: number, pointsPerDay: number, days: number): (readonly [number, number])[] {
  const nowMs = Math.floor(Date.now() / 60_000) * 60_000;
  return Array.from({ length: days * 4 }, (_, n) => [
    nowMs - (days * 4 - 1 - n) * 6 * HOUR_MS,
    Math.round((fromPercentage - (n * pointsPerDay) / 4) * 100) / 100,
  ]);
}

/** Re-evaluates all marked tanks, and fires all timers. */
export async function settle(database: TestDatabase): Promise<void> {
  await reevaluateAllTanks(database.writer);
  await fireAllTimers(database.writer);
}

/** The states and events of these tanks, each as one text. */
export async function evaluationsOf(database: TestDatabase, tankNos: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await database.owner.query<{ tank_no: number; evaluation: string }>(
    `select s.tank_no, concat(s.encoded_state, array(
       select (e.type, e.occurred_at, e.data, e.readings)::text from events e
       where e.tank_no = s.tank_no and e.retracted_at is null order by e.occurred_at, e.type
     )) as evaluation
     from tank_states s where s.tank_no = any ($1)`,
    [tankNos],
  );
  return new Map(rows.map((row) => [row.tank_no, row.evaluation]));
}

/** Marks tanks for an evaluation of all their readings. */
export async function markFromTheBeginning(database: TestDatabase, tankNos: readonly number[]): Promise<void> {
  await database.owner.query('delete from tank_checkpoints where tank_no = any ($1)', [tankNos]);
  await database.owner.query('update tank_states set reevaluate_from = to_timestamp(0) where tank_no = any ($1)', [
    tankNos,
  ]);
  // The column rounds now() up by half a millisecond at most: a tank would not be due at once.
  await database.owner.query(
    `insert into reevaluations (tank_no, organization_no, next_attempt_at)
     select no, organization_no, now() - interval '1 millisecond' from tanks where no = any ($1)
     on conflict do nothing`,
    [tankNos],
  );
}

export interface QueuedRow {
  tank_no: number;
  attempts: number;
  last_error: string | null;
  waits_for_version: number | null;
  delay_seconds: number;
}

export async function queueOf(database: TestDatabase, tankNos: readonly number[]): Promise<QueuedRow[]> {
  const { rows } = await database.owner.query<QueuedRow>(
    `select tank_no, attempts, last_error, waits_for_version,
            round((date_part('epoch', next_attempt_at) - date_part('epoch', now()))) as delay_seconds
     from reevaluations where tank_no = any ($1) order by tank_no`,
    [tankNos],
  );
  return rows;
}
