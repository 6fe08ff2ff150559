import { onlyRow } from '../db/only_row.ts';
import type { Db, Tx } from '../db/pool.ts';

/** The result of a restore drill. */
export interface DrillFigures {
  backup_label: string;
  backup_ended_at: string;
  /** The time that the archive lacked when the drill began. The stream has the readings of this time. */
  rpo_seconds: number;
  /** The time from the start of the restore until the roles could start. */
  rto_seconds: number;
  restore_seconds: number;
  recovery_seconds: number;
  verify_seconds: number;
  bytes: number;
  gigabytes_per_minute: number;
  replayed_messages: number;
  replayed_readings: number;
  removals_applied: number;
  /** The problems of the restored database. */
  problems: readonly string[];
}

/** The limits of a successful drill. */
interface DrillLimits {
  maxRpoSeconds: number;
  maxRtoSeconds: number;
}

/** Returns the problems of the drill, among them the limits that it exceeded. Empty if it was successful. */
export function judgeDrill(figures: DrillFigures, { maxRpoSeconds, maxRtoSeconds }: DrillLimits): string[] {
  const { rpo_seconds, rto_seconds, problems } = figures;
  return [
    ...(rpo_seconds > maxRpoSeconds
      ? [`the archive ends ${Math.round(rpo_seconds)} seconds before the drill began; ${maxRpoSeconds} are allowed`]
      : []),
    ...(rto_seconds > maxRtoSeconds
      ? [`the restore took ${Math.round(rto_seconds)} seconds; ${maxRtoSeconds} are allowed`]
      : []),
    ...problems,
  ];
}

export async function recordDrill(
  tx: Tx,
  startedAt: string,
  figures: Partial<DrillFigures>,
  problems: readonly string[],
): Promise<void> {
  await tx.query(
    `insert into restore_drills (started_at, backup_label, rpo_seconds, rto_seconds, bytes, problems)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      startedAt,
      figures.backup_label ?? null,
      figures.rpo_seconds ?? null,
      figures.rto_seconds ?? null,
      figures.bytes ?? null,
      problems,
    ],
  );
}

/** Records the newest backup, unless a newer one is recorded. */
export async function recordBackup(
  tx: Tx,
  { endedAt, label, bytes }: { endedAt: string; label: string; bytes: number | null },
): Promise<void> {
  await tx.query(
    `insert into newest_backup as b (ended_at, label, bytes) values ($1, $2, $3)
     on conflict (is_only) do update
     set ended_at = greatest(b.ended_at, excluded.ended_at), reported_at = now(),
         label = case when excluded.ended_at >= b.ended_at then excluded.label else b.label end,
         bytes = case when excluded.ended_at >= b.ended_at then excluded.bytes else b.bytes end`,
    [endedAt, label, bytes],
  );
}

/** The times of the newest backup and of the last successful drill; null if there was none. */
export interface BackupTimes {
  backup_at: string | null;
  good_drill_at: string | null;
}

export async function readBackupTimes(db: Db): Promise<BackupTimes> {
  const { rows } = await db.query<BackupTimes>(
    `select (select ended_at from newest_backup) as backup_at,
            (select max(started_at) from restore_drills where problems = '{}') as good_drill_at`,
  );
  return onlyRow(rows);
}
