import type { Pool } from 'pg';
import { type Tx, transaction } from '../db/pool.ts';
import { isReadingError, type ReadingError, type RejectionCode, type TankReading } from '../telemetry/reading.ts';
import { type NewRejection, recordRejections } from '../telemetry/rejected_readings.ts';
import type { OrganizationReading, StreamBatch } from '../telemetry/stream_message.ts';
import { findTanks } from '../telemetry/tank_lookup.ts';
import { errorCode } from '../values/error_code.ts';
import { ReadingStore, storeReadings } from './store_readings.ts';

export interface BatchResult {
  stored: number;
  known: number;
  rejected: Partial<Record<RejectionCode, number>>;
}

/** Of a message, the readings of some of its devices; and of one of its shares, what was refused before. */
export interface BatchShare {
  arrived: ReceivedReading[];
  refused: NewRejection[];
}

/**
 * Shares a message out by device, so that those who store the shares at the same time do not wait for the same tanks. A
 * device has the same share of every message.
 */
export function shareOut({ id, receivedAtMs, readings, rejections }: StreamBatch, count: number): BatchShare[] {
  const shares: BatchShare[] = Array.from({ length: count }, () => ({ arrived: [], refused: [] }));
  for (const [place, reading] of readings.entries()) {
    shares[shareOf(reading.deviceId, count)]?.arrived.push({ reading, messageId: id, place, receivedAtMs });
  }
  for (const [at, rejection] of rejections.entries()) {
    shares[0]?.refused.push({ ...rejection, messageId: id, place: readings.length + at, receivedAtMs });
  }
  return shares;
}

function shareOf(deviceId: string, count: number): number {
  let hash = 0;
  for (let at = 0; at < deviceId.length; at++) hash = (hash * 31 + deviceId.charCodeAt(at)) | 0;
  return Math.abs(hash) % count;
}

/** A reading with its place in the stream, by which a rejection of it is told from another. */
export interface ReceivedReading {
  reading: OrganizationReading;
  messageId: string;
  place: number;
  receivedAtMs: number;
}

/** Takes messages of the stream into the database: all in one transaction, each as often as it likes to come. */
export class BatchIngester {
  readonly #pool: Pool;
  readonly #store: ReadingStore;
  readonly #isEvaluating: boolean;

  /** Judging asks what readings mean, and records the events they cause. */
  constructor(pool: Pool, { isEvaluating = true }: { isEvaluating?: boolean } = {}) {
    this.#pool = pool;
    this.#isEvaluating = isEvaluating;
    this.#store = new ReadingStore(pool);
  }

  /** When this returns, everything is committed. Throws where the database cannot be used now. */
  async takeIn(shares: readonly BatchShare[]): Promise<BatchResult> {
    return this.#takeAll(
      shares.flatMap(({ arrived }) => arrived),
      shares.flatMap(({ refused }) => refused),
    );
  }

  async #takeAll(arrived: readonly ReceivedReading[], refusedBefore: readonly NewRejection[]): Promise<BatchResult> {
    try {
      await this.#store.ensureMonths(arrived.map(({ reading }) => reading.atMs));
      return await transaction(this.#pool, (tx) => takeTogether(tx, arrived, refusedBefore, this.#isEvaluating));
    } catch (error) {
      if (!isOfTheData(error)) throw error;
      return this.#takeApart(arrived, refusedBefore, error);
    }
  }

  /** One reading that the database itself refuses must not hold up the others: halves, until it stands alone. */
  async #takeApart(
    arrived: readonly ReceivedReading[],
    refusedBefore: readonly NewRejection[],
    error: Error,
  ): Promise<BatchResult> {
    const [only] = arrived;
    if (only === undefined) throw error;
    if (arrived.length === 1) {
      const refused = rejectionOf(only, { code: 'unstorable', detail: `The database refuses it: ${error.message}` });
      return this.#takeAll([], [...refusedBefore, refused]);
    }
    const middle = Math.ceil(arrived.length / 2);
    const first = await this.#takeAll(arrived.slice(0, middle), refusedBefore);
    return sum(first, await this.#takeAll(arrived.slice(middle), []));
  }
}

/** The whole of it: find each reading's tank, store what is new with its counters, list what cannot be stored. */
async function takeTogether(
  tx: Tx,
  arrived: readonly ReceivedReading[],
  refusedBefore: readonly NewRejection[],
  isEvaluating: boolean,
): Promise<BatchResult> {
  const placed = await findTanks(
    tx,
    arrived.map(({ reading }) => reading),
  );
  const rejections = [...refusedBefore];
  const storable: { from: ReceivedReading; reading: TankReading }[] = [];
  for (const [at, from] of arrived.entries()) {
    const found = placed[at];
    if (found === undefined) continue;
    if (isReadingError(found)) rejections.push(rejectionOf(from, found));
    else storable.push({ from, reading: found });
  }

  const { stored, known, conflicts } = await storeReadings(
    tx,
    storable.map(({ reading }) => reading),
    isEvaluating,
  );
  for (const { index, kept } of conflicts) {
    const conflict = storable[index];
    if (conflict === undefined) continue;
    const { atMs, fillPercentage } = conflict.reading;
    const detail = `The tank has ${kept} at ${new Date(atMs).toISOString()} and not ${fillPercentage}; a reading is never changed.`;
    rejections.push(rejectionOf(conflict.from, { code: 'conflict', detail }));
  }
  await recordRejections(tx, rejections);
  return { stored, known, rejected: countByCode(rejections) };
}

/** What was understood is written down again in our own words. */
function rejectionOf(
  { reading, messageId, place, receivedAtMs }: ReceivedReading,
  refused: ReadingError,
): NewRejection {
  const { organizationNo, deviceId, atMs, level } = reading;
  const written = typeof level === 'number' ? { fill_percentage: level } : { [`volume_${level.unit}`]: level.amount };
  const raw = Buffer.from(JSON.stringify({ ...written, created_at: new Date(atMs).toISOString() }));
  return { ...refused, organizationNo, deviceId, raw, format: '', messageId, place, receivedAtMs };
}

function countByCode(rejections: readonly NewRejection[]): BatchResult['rejected'] {
  const counts: BatchResult['rejected'] = {};
  for (const { code } of rejections) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

function sum(a: BatchResult, b: BatchResult): BatchResult {
  const rejected = { ...a.rejected };
  for (const [code, n] of Object.entries(b.rejected)) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- keys of the same type
    rejected[code as RejectionCode] = (rejected[code as RejectionCode] ?? 0) + n;
  }
  return { stored: a.stored + b.stored, known: a.known + b.known, rejected };
}

/** SQLSTATE classes 22 and 23: a value or a constraint. Everything else passes when the database is well again. */
function isOfTheData(error: unknown): error is Error {
  return error instanceof Error && /^2[23]/.test(errorCode(error) ?? '');
}
