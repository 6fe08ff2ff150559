import type { Pool } from 'pg';
import { onlyRow } from '../db/only_row.ts';
import { type BackupTimes, readBackupTimes } from '../recovery/drill_record.ts';
import { DAY_MS, HOUR_MS } from '../values/time.ts';
import { type CheckFinding, warning } from './finding.ts';

/** A daily backup may be two hours late. */
const MAX_BACKUP_AGE_MS = 26 * HOUR_MS;
const MAX_DRILL_AGE_MS = 100 * DAY_MS;
/** A younger installation gets no warning. */
const MIN_INSTALLATION_AGE_MS = 2 * DAY_MS;

/** Checks that a backup was made lately, and that a restore drill succeeded lately. */
export async function checkBackup(pool: Pool): Promise<CheckFinding[]> {
  const { rows } = await pool.query<{ age_ms: number | null }>(
    'select extract(epoch from now() - min(created_at))::float8 * 1000 as age_ms from organizations',
  );
  return backupFindings(await readBackupTimes(pool), Date.now(), onlyRow(rows).age_ms ?? 0);
}

export function backupFindings(
  { backup_at, good_drill_at }: BackupTimes,
  nowMs: number,
  installationAgeMs: number,
): CheckFinding[] {
  if (installationAgeMs < MIN_INSTALLATION_AGE_MS) return [];
  const backupRemedy =
    'run it every day: tankwatch backup; with another program, run tankwatch backup report --at TIME after it';
  if (backup_at === null) return [warning('no backup was ever made', backupRemedy)];
  const found: CheckFinding[] = [];
  const backupAgeMs = nowMs - Date.parse(backup_at);
  if (backupAgeMs > MAX_BACKUP_AGE_MS)
    found.push(warning(`the newest backup is ${Math.floor(backupAgeMs / HOUR_MS)} hours old`, backupRemedy));
  const drillRemedy = 'tankwatch restore try FILE, or with pgBackRest: tankwatch restore drill';
  if (good_drill_at === null) found.push(warning('no restore drill has ever succeeded', drillRemedy));
  else if (nowMs - Date.parse(good_drill_at) > MAX_DRILL_AGE_MS)
    found.push(warning(`no restore drill has succeeded since ${good_drill_at.slice(0, 10)}`, drillRemedy));
  return found;
}
