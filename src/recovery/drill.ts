import type { Pool } from 'pg';
import { onlyRow } from '../db/only_row.ts';
import { transaction } from '../db/pool.ts';
import { withPool } from '../db/with_pool.ts';
import { reevaluateAllTanks } from '../evaluation/reevaluator.ts';
import { BatchIngester } from '../ingest/batch_ingester.ts';
import type { ReceivedBatch } from '../ingest/ingest_batch.ts';
import type { StoredMessage, Stream } from '../stream/stream.ts';
import type { DrillFigures } from './drill_record.ts';
import { bytesOf, createDrillFolders, findServerPrograms, startDrillServer } from './drill_server.ts';
import { finishRestore } from './finish_restore.ts';
import { newestBackup, type PgBackRest, restoreNewest } from './pgbackrest.ts';
import { compareWithProduction, type ProductionFacts } from './production_facts.ts';
import { reapplyRemovals } from './reapply_removals.ts';
import type { Removal } from './removal.ts';

export interface DrillOptions {
  pgBackRest: PgBackRest;
  /** An empty folder on a disk with room for the database. */
  folder: string;
  /** The name of the database in the backup. */
  database: string;
  superuser: string;
  /** The folder with the programs of PostgreSQL. If undefined, it is found where Debian installs them. */
  binFolder: string | undefined;
  recoveryTimeoutMs: number;
  removals: readonly Removal[];
  /** The state of production when the drill begins. */
  production: ProductionFacts;
  /** Null to replay nothing. */
  stream: Stream | null;
  decode: (message: StoredMessage) => ReceivedBatch;
  /** Checks counters, states and rows. Returns a sentence for each problem. */
  findProblems: (pool: Pool) => Promise<string[]>;
  onPhase: (phase: string) => void;
}

export class NoBackupError extends Error {}

/**
 * Restores the newest backup beside production, as after a disaster: restore, replay of the WAL, removals, replay of the stream.
 * Then it compares the result with production. Production is only read.
 */
export async function runDrill(options: DrillOptions): Promise<DrillFigures> {
  const { pgBackRest, folder, onPhase, production } = options;
  const backup = await newestBackup(pgBackRest);
  if (backup === undefined) throw new NoBackupError(`the stanza ${pgBackRest.stanza} has no backup`);
  const folders = await createDrillFolders(folder, pgBackRest.user);
  const seconds = stopwatch();
  onPhase(`restoring ${backup.label}`);
  await restoreNewest(pgBackRest, folders.data, folders.tablespaces);
  const restoreSeconds = seconds();
  const bytes = await bytesOf(folders.data);
  onPhase('replaying the archived WAL');
  const server = await startDrillServer({
    folders,
    binFolder: await findServerPrograms(folders.data, options.binFolder),
    user: pgBackRest.user,
    superuser: options.superuser,
    timeoutMs: options.recoveryTimeoutMs,
  });
  const recoverySeconds = seconds();
  try {
    const address = { url: server.urlOf(options.database), applicationName: 'tankwatch restore drill' };
    return await withPool(address, async (pool) => {
      const recovered = await recoverData(pool, options);
      const rtoSeconds = restoreSeconds + recoverySeconds + seconds();
      onPhase('verifying');
      const problems = [
        ...recovered.problems,
        ...(await compareWithProduction(pool, production, options.stream !== null)),
        ...(await options.findProblems(pool)),
      ];
      return {
        backup_label: backup.label,
        backup_ended_at: backup.endedAt,
        rpo_seconds: rpoSeconds(production, server.lastTransactionAt ?? backup.endedAt),
        bytes,
        restore_seconds: restoreSeconds,
        recovery_seconds: recoverySeconds,
        rto_seconds: rtoSeconds,
        gigabytes_per_minute: bytes / 1e9 / (restoreSeconds / 60),
        replayed_messages: recovered.messages,
        replayed_readings: recovered.readings,
        removals_applied: recovered.removalsApplied,
        verify_seconds: seconds(),
        problems,
      };
    });
  } finally {
    await server.stop();
  }
}

/** Returns a function that returns the seconds since its last call. */
function stopwatch(): () => number {
  let lastMs = performance.now();
  return () => {
    const nowMs = performance.now();
    const seconds = (nowMs - lastMs) / 1_000;
    lastMs = nowMs;
    return seconds;
  };
}

/**
 * The seconds of data that would have been lost without the stream when the drill began: the time since the last
 * transaction in the archive. WAL that arrives in the archive during the restore is replayed, but must not count. So
 * the earlier of two times counts: when the last WAL file was archived, and when the last replayed transaction was
 * committed, which shows an archive that is far behind.
 */
export function rpoSeconds(
  { at, archived_at }: Pick<ProductionFacts, 'at' | 'archived_at'>,
  lastTransactionAt: string,
): number {
  const lastMs = Math.min(Date.parse(lastTransactionAt), Date.parse(archived_at ?? at));
  return Math.max(0, (Date.parse(at) - lastMs) / 1_000);
}

interface RecoveredData {
  messages: number;
  readings: number;
  removalsApplied: number;
  problems: string[];
}

/** Recovers the data as `tankwatch restore finish` and writers do it. */
async function recoverData(pool: Pool, options: DrillOptions): Promise<RecoveredData> {
  const { removals, stream, onPhase } = options;
  onPhase('applying removals');
  const removed = await transaction(pool, (tx) => finishRestore(tx, removals));
  const again = await transaction(pool, (tx) => reapplyRemovals(tx, removals));
  const replayed = stream === null ? { messages: 0, readings: 0, problems: [] } : await replay(pool, stream, options);
  return {
    messages: replayed.messages,
    readings: replayed.readings,
    removalsApplied: removed.applied,
    problems: [
      ...(again.applied > 0 ? [`${again.applied} removals had to be applied twice`] : []),
      ...removed.ownersOfTanks.map((id) => `the deleted customer ${id} is back: it owns tanks in the backup`),
      ...replayed.problems,
    ],
  };
}

/** The number of messages per transaction. */
const BATCH_MESSAGES = 20;

async function replay(
  pool: Pool,
  stream: Stream,
  { decode, onPhase }: DrillOptions,
): Promise<Pick<RecoveredData, 'messages' | 'readings' | 'problems'>> {
  onPhase('replaying the stream');
  const { rows } = await pool.query<{ sequence: number }>(
    `select coalesce(max(committed_sequence), 0) as sequence from stream_positions where stream = $1`,
    [stream.name],
  );
  const { sequence } = onlyRow(rows);
  const { firstSequence, messages: held } = await stream.status();
  const ingester = new BatchIngester(pool);
  const done = { messages: 0, readings: 0 };
  let waiting: ReceivedBatch[] = [];
  const store = async (): Promise<void> => {
    const batch = {
      readings: waiting.flatMap(({ readings }) => readings),
      rejections: waiting.flatMap(({ rejections }) => rejections),
    };
    done.messages += waiting.length;
    waiting = [];
    done.readings += (await ingester.ingestBatch(batch)).stored;
  };
  for await (const message of stream.readAfter(sequence)) {
    waiting.push(decode(message));
    if (waiting.length === BATCH_MESSAGES) await store();
  }
  if (waiting.length > 0) await store();
  await reevaluateAllTanks(pool);
  const isTrimmed = held > 0 && firstSequence > sequence + 1;
  return {
    ...done,
    problems: isTrimmed
      ? [
          `the stream no longer has the messages ${sequence + 1} to ${firstSequence - 1}, which the backup lacks: make backups more often, or raise STREAM_KEEP_DAYS`,
        ]
      : [],
  };
}
