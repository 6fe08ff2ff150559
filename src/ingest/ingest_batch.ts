import type { Tx } from '../db/pool.ts';
import { saveCheckpoints } from '../evaluation/checkpoints.ts';
import { evaluateNewReadings } from '../evaluation/evaluate_new_readings.ts';
import type { EvaluationFailure } from '../evaluation/evaluation_failures.ts';
import { saveFleetTanks, tanksWithRefill, updateRefillDays } from '../evaluation/fleet_rows.ts';
import { recordEvents, retractEvents } from '../evaluation/record_events.ts';
import { dequeueAppliedSettings, queueTanks } from '../evaluation/reevaluation_queue.ts';
import { storeHealth } from '../gauges/health/store_health.ts';
import { channelOf } from '../gauges/profiles/quantities.ts';
import { describeMeasure } from '../gauges/tank_gauge.ts';
import type { DailyAllowance } from '../telemetry/daily_allowance.ts';
import {
  isReadingError,
  type ReadingError,
  type RejectionCode,
  readingFields,
  type TankReading,
} from '../telemetry/reading.ts';
import { type NewRejection, recordRejections } from '../telemetry/rejected_readings.ts';
import type { OrganizationHealth, OrganizationReading } from '../telemetry/stream_message.ts';
import { type Conflict, compareWithStored } from './compare_with_stored.ts';
import { insertReadings } from './insert_readings.ts';
import { findTankReadings, readMeasuresAgain } from './read_measures.ts';
import { type LockedTanks, lockTanks } from './tank_locks.ts';

/** A reading with its position in the stream. The position identifies it among rejected readings. */
export interface ReceivedReading {
  reading: OrganizationReading;
  messageId: string;
  position: number;
  receivedAtMs: number;
}

export interface ReceivedBatch {
  readings: readonly ReceivedReading[];
  /** Readings that a gateway or connector rejected. */
  rejections: readonly NewRejection[];
  /** Reports of devices about themselves. */
  health?: readonly OrganizationHealth[];
}

export interface BatchResult {
  stored: number;
  duplicates: number;
  rejected: Partial<Record<RejectionCode, number>>;
  evaluationFailures: EvaluationFailure[];
}

export interface IngestOptions {
  /** False stores readings without evaluating them (EVENTS=off). */
  isEvaluating?: boolean;
  /** If given, the tanks of these readings are not evaluated but queued for re-evaluation, because evaluation failed with this error. */
  evaluationError?: Error;
  /** Limits the rejected readings that are recorded for an organization a day. Others are only counted. */
  allowance?: DailyAllowance;
}

/** Ingests a batch of the stream in the caller's transaction. Ingesting it again changes nothing. */
export async function ingestBatch(tx: Tx, batch: ReceivedBatch, options: IngestOptions = {}): Promise<BatchResult> {
  const tankReadings = await findTankReadings(
    tx,
    batch.readings.map(({ reading }) => reading),
  );
  const rejections = [...batch.rejections];
  const storable: StorableReading[] = [];
  for (const [index, received] of batch.readings.entries()) {
    const reading = tankReadings[index];
    if (reading === undefined) continue;
    if (isReadingError(reading)) rejections.push(rejectionOf(received, reading));
    else storable.push({ received, reading });
  }

  const { conflicts, ...result } = await ingestReadings(tx, addAnnouncements(storable, batch.health ?? []), options);

  for (const conflict of conflicts) {
    const entry = storable[conflict.index];
    if (entry) rejections.push(rejectionOf(entry.received, conflictError(entry.reading, conflict)));
  }
  // Gateways have already limited the rejections of the batch. The allowance limits the rejections that were added here.
  const { allowance } = options;
  const takeAllowance = ({ organizationNo }: NewRejection): boolean =>
    allowance?.take(String(organizationNo), 1, Date.now()).isAllowed ?? true;
  const added = rejections.slice(batch.rejections.length).filter(takeAllowance);
  await recordRejections(tx, [...batch.rejections, ...added]);
  await storeHealth(tx, batch.health ?? []);
  return { ...result, rejected: countByCode(rejections) };
}

interface StorableReading {
  received: ReceivedReading;
  reading: TankReading;
}

/** Adds to each reading the time of the next report, if its device announced it at the same time. */
function addAnnouncements(
  storable: readonly StorableReading[],
  health: readonly OrganizationHealth[],
): readonly TankReading[] {
  const announced = health.filter(({ next_at_ms }) => next_at_ms !== undefined);
  if (announced.length === 0) return storable.map(({ reading }) => reading);
  const key = (organizationNo: number, deviceId: string, atMs: number): string =>
    `${organizationNo}/${atMs}/${deviceId}`;
  const nextBy = new Map(
    announced.map(({ organization_no, device_id, at_ms, next_at_ms }) => [
      key(organization_no, device_id, at_ms),
      next_at_ms,
    ]),
  );
  return storable.map(({ received, reading }) => {
    const { organizationNo, deviceId } = received.reading;
    const [device] = channelOf(deviceId);
    const nextReportMs = nextBy.get(key(organizationNo, device, reading.atMs));
    return nextReportMs === undefined ? reading : { ...reading, nextReportMs };
  });
}

export interface IngestResult {
  stored: number;
  duplicates: number;
  conflicts: Conflict[];
  evaluationFailures: EvaluationFailure[];
}

/**
 * Stores and evaluates readings of known tanks in the caller's transaction. They come from a batch, an imported file or a
 * replay, in any order. The locks of their tanks are taken first.
 */
export async function ingestReadings(
  tx: Tx,
  readings: readonly TankReading[],
  { isEvaluating = true, evaluationError }: IngestOptions = {},
): Promise<IngestResult> {
  if (readings.length === 0) return { stored: 0, duplicates: 0, conflicts: [], evaluationFailures: [] };
  const tanks = await lockTanks(tx, readings);
  const current = await readMeasuresAgain(tx, readings);
  const { newReadings, duplicates, conflicts } = await compareWithStored(tx, current, isNewerThanLatest(tanks));
  const toEvaluate = (tankNo: number) => (isEvaluating ? (tanks.get(tankNo)?.toEvaluate ?? null) : null);
  const { updates, failures } = evaluateNewReadings(newReadings, toEvaluate, Date.now(), evaluationError);
  await insertReadings(tx, newReadings, updates, (tankNo) => tanks.get(tankNo)?.toEvaluate?.organizationNo);
  const events = updates.flatMap((update) => update.events);
  const retractions = updates.flatMap((update) => update.retractions);
  await retractEvents(tx, retractions);
  await recordEvents(tx, events);
  await saveFleetTanks(
    tx,
    updates.flatMap(({ fleetTank }) => fleetTank ?? []),
  );
  await updateRefillDays(tx, tanksWithRefill([...retractions, ...events]));
  await saveCheckpoints(
    tx,
    updates.flatMap(({ checkpoints }) => checkpoints),
  );
  await queueTanks(
    tx,
    updates.flatMap(({ newMark }) => newMark ?? []),
  );
  await dequeueAppliedSettings(
    tx,
    updates.flatMap(({ appliedSettings }) => appliedSettings ?? []),
  );
  return { stored: newReadings.length, duplicates, conflicts, evaluationFailures: failures };
}

/** Returns true for a reading after the latest stored one. No other writer can store a later one, because the tank is locked. */
const isNewerThanLatest =
  (tanks: LockedTanks) =>
  ({ tankNo, atMs }: TankReading): boolean =>
    atMs > (tanks.get(tankNo)?.latestMs ?? Number.NEGATIVE_INFINITY);

export function conflictError({ atMs, fillPercentage, measure }: TankReading, { existing }: Conflict): ReadingError {
  const at = `at ${new Date(atMs).toISOString()}`;
  const detail =
    measure && existing.measure
      ? `The tank already has ${describeMeasure(existing.measure)} ${at}, not ${describeMeasure(measure)}; what was measured is never changed.`
      : `The tank already has ${existing.fillPercentage} ${at}, not ${fillPercentage}; a stored reading is never changed.`;
  return { code: 'conflict', detail };
}

export const unstorableError = (cause: Error): ReadingError => ({
  code: 'unstorable',
  detail: `The database rejects the reading: ${cause.message}`,
});

/** `raw` is the parsed reading in Tankwatch's own format: the stream does not hold the original payload. */
export function rejectionOf({ reading, ...position }: ReceivedReading, error: ReadingError): NewRejection {
  const { organizationNo, deviceId, atMs } = reading;
  const raw = Buffer.from(JSON.stringify({ ...readingFields(reading), created_at: new Date(atMs).toISOString() }));
  return { ...error, ...position, organizationNo, deviceId, raw, format: '' };
}

function countByCode(rejections: readonly NewRejection[]): BatchResult['rejected'] {
  const counts: BatchResult['rejected'] = {};
  for (const { code } of rejections) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}
