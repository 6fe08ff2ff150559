import type pg from 'pg';
import { BatchIngester } from '../src/ingest/batch_ingester.ts';
import { takeReadings } from '../src/simulation/habits.ts';
import { VirtualTank } from '../src/simulation/life.ts';
import { Random } from '../src/simulation/random.ts';
import type { TankReading } from '../src/telemetry/reading.ts';
import { DAY_MS, HOUR_MS } from '../src/values/time.ts';
import type { ProvisionedOrganization, ProvisionedTank } from './provision.ts';
import { measured } from './shaped_tanks.ts';

const HISTORY_MS = 180 * DAY_MS;
/** One tank in 25 has leaked: the one at this index. */
const LEAKING_TANK = 7;

/** Stores and evaluates the readings of the last six months. The readings of a tank are in the order of time. */
export async function storeHistory(writer: pg.Pool, { tanks, toMs, busyTank }: ProvisionedOrganization): Promise<void> {
  const ingester = new BatchIngester(writer);
  let batch: TankReading[] = [];
  for (const [index, tank] of tanks.entries()) {
    const history = index === busyTank ? busyHistoryOf(tank, toMs) : historyOf(tank, toMs - HISTORY_MS, toMs);
    const levels = index % 25 === LEAKING_TANK ? withLeak(history, toMs - 25 * DAY_MS) : history;
    batch.push(...(tank.shape ? measured(levels, tank.shape) : levels));
    if (batch.length < 5_000) continue;
    await ingester.ingestReadings(batch);
    batch = [];
  }
  if (batch.length > 0) await ingester.ingestReadings(batch);
}

function historyOf({ no, seed, tank, life, habits }: ProvisionedTank, fromMs: number, toMs: number): TankReading[] {
  const random = Random.named(seed, `${tank.assigned_device_id} history`);
  // Always begins at the start of the history, so that a device has the same life in every call.
  const virtual = new VirtualTank(life, random.fork(), { atMs: toMs - HISTORY_MS });
  return Array.from(takeReadings(random, virtual, habits, fromMs, toMs), (reading) => ({ tankNo: no, ...reading }));
}

function busyHistoryOf(tank: ProvisionedTank, toMs: number): TankReading[] {
  const everyTenMinutes = { ...tank, habits: { ...tank.habits, cadenceMs: 600_000, silencesPerYear: 0 } };
  const busyFromMs = toMs - 60 * DAY_MS;
  return [
    ...historyOf(tank, toMs - HISTORY_MS, toMs).filter(({ atMs }) => atMs < busyFromMs),
    ...historyOf(everyTenMinutes, busyFromMs, toMs),
  ];
}

const LEAK_PER_HOUR = 2;
const LEAK_HOURS = 12;
const FULL_ENOUGH = 60;

/** Lets a tank lose gas for twelve hours, from its first high level after a time. The next refill ends the difference. */
function withLeak(history: readonly TankReading[], afterMs: number): TankReading[] {
  const begin = history.findIndex(({ atMs, fillPercentage }) => atMs > afterMs && fillPercentage > FULL_ENOUGH);
  const beginMs = history[begin]?.atMs ?? Number.POSITIVE_INFINITY;
  const isRefill = (reading: TankReading, index: number): boolean =>
    index > begin && reading.fillPercentage > (history[index - 1]?.fillPercentage ?? 100) + 10;
  const refill = history.findIndex(isRefill);
  const endMs = history[refill]?.atMs ?? Number.POSITIVE_INFINITY;
  return history.map((reading) => {
    if (reading.atMs < beginMs || reading.atMs >= endMs) return reading;
    const hours = Math.min(LEAK_HOURS, (reading.atMs - beginMs) / HOUR_MS);
    const fillPercentage = Math.max(1, Math.round((reading.fillPercentage - LEAK_PER_HOUR * hours) * 10) / 10);
    return { ...reading, fillPercentage };
  });
}
