import { join } from 'node:path';
import type { Pool } from 'pg';
import { onlyRow } from '../db/only_row.ts';
import { type Tx, transaction } from '../db/pool.ts';
import { baseCheckpoints } from '../evaluation/base_checkpoint.ts';
import { readReadingsBefore } from '../evaluation/stored_readings.ts';
import type { RetentionConfig } from '../settings/role_settings.ts';
import { measureFields } from '../telemetry/export_readings.ts';
import { writeArchiveFile } from './archive_file.ts';

export interface ExpiredTelemetry {
  tanks: number;
  readings: number;
  files: number;
}

/** The limits of one transaction. Its tanks are locked until it ends, and their new readings wait. */
const BATCH_TANKS = 200;
const BATCH_READINGS = 100_000;

interface Organization {
  no: number;
  code: string;
  before: string;
}

/**
 * Drops the readings of months that are older than the retention of their organization, tank by tank. Each batch is archived
 * first, if there is an archive: its tanks are locked, so the file has exactly the readings that are dropped after it. If the
 * worker ends in between, the next run finds the file or, with more readings, writes another. Recorded events stay: evaluation then begins with the state at the last dropped reading.
 */
export async function expireTelemetry(
  pool: Pool,
  { telemetryDays, archiveFolder }: Pick<RetentionConfig, 'telemetryDays' | 'archiveFolder'>,
): Promise<ExpiredTelemetry> {
  const result = { tanks: 0, readings: 0, files: 0 };
  const { rows: organizations } = await pool.query<Organization>(
    // Only organizations with something to drop get transactions of their own: on most days, none of 20,000.
    `select o.no, o.code, kept.before
     from organizations o
     cross join lateral (select utc_month(now() - make_interval(days => coalesce(o.telemetry_days, $1))) as before) as kept
     where coalesce(o.telemetry_days, $1) > 0 and o.deleted_at is null and exists (
       select from tanks t join telemetry_month_counters c on c.tank_no = t.no
       where t.organization_no = o.no and c.month < kept.before
     )
     order by o.no`,
    [telemetryDays],
  );
  for (const organization of organizations) {
    for (let afterNo: number | null = 0; afterNo !== null; ) {
      const from: number = afterNo;
      const batch = await transaction(pool, (tx) => expireBatch(tx, organization, from, archiveFolder));
      result.tanks += batch.tanks;
      result.readings += batch.readings;
      result.files += batch.files;
      afterNo = batch.lastNo;
    }
  }
  return result;
}

interface ExpiringTank {
  tank_no: number;
  kept_from: string;
  readings: number;
}

interface ExpiredBatch extends ExpiredTelemetry {
  /** The next batch begins after this tank. Null if there are no more. */
  lastNo: number | null;
}

async function expireBatch(
  tx: Tx,
  { no, code, before }: Organization,
  afterNo: number,
  archiveFolder: string,
): Promise<ExpiredBatch> {
  const { rows: locked } = await tx.query<ExpiringTank>('select * from lock_expired_telemetry($1, $2, $3, $4)', [
    no,
    before,
    afterNo,
    BATCH_TANKS,
  ]);
  const tanks = firstTanks(locked);
  const [first, last] = [tanks[0], tanks.at(-1)];
  if (first === undefined || last === undefined) return { tanks: 0, readings: 0, files: 0, lastNo: null };

  const readings = await readReadingsBefore(
    tx,
    tanks.map(({ tank_no, kept_from }) => ({ tankNo: tank_no, beforeMs: Date.parse(kept_from) })),
  );
  const bases = new Map((await baseCheckpoints(tx, readings)).map((base) => [base.tankNo, base]));
  const dropped = tanks.filter(({ tank_no }) => bases.has(tank_no));
  const isArchived = archiveFolder !== '' && dropped.length > 0;
  if (isArchived) {
    await writeArchiveFile({
      root: archiveFolder,
      folder: join(code, `before-${before.slice(0, 7)}`),
      name: `telemetry-${first.tank_no}-${last.tank_no}`,
      lines: await archiveLines(tx, dropped),
    });
  }
  const { rows } = await tx.query<{ n: number }>('select drop_expired_telemetry($1, $2, $3, $4) as n', [
    dropped.map(({ tank_no }) => tank_no),
    dropped.map(({ kept_from }) => kept_from),
    dropped.map(({ tank_no }) => new Date(bases.get(tank_no)?.atMs ?? Number.NaN).toISOString()),
    dropped.map(({ tank_no }) => bases.get(tank_no)?.encodedState ?? ''),
  ]);
  return {
    tanks: dropped.length,
    readings: onlyRow(rows).n,
    files: isArchived ? 1 : 0,
    lastNo: last.tank_no,
  };
}

/** The tanks that fit into one transaction, at least one. The locks of the others end with the transaction. */
function firstTanks(locked: readonly ExpiringTank[]): ExpiringTank[] {
  let readings = 0;
  return locked.filter((tank, at) => {
    readings += tank.readings;
    return at === 0 || readings <= BATCH_READINGS;
  });
}

/** The format that `tankwatch telemetry import` reads, with what was measured. */
async function archiveLines(tx: Tx, tanks: readonly ExpiringTank[]): Promise<string[]> {
  const { rows } = await tx.query<{
    tank_id: string;
    created_at: string;
    fill_percentage: number;
    gauge_value: number | null;
  }>(
    `select t.id as tank_id, r.created_at, r.fill_percentage, r.gauge_value
     from unnest($1::int[], $2::timestamptz[]) with ordinality as e (tank_no, kept_from, position)
     join tanks t on t.no = e.tank_no
     cross join lateral oldest_measures(e.tank_no, '-infinity', e.kept_from, 2147483647) as r
     order by e.position, r.created_at`,
    [tanks.map(({ tank_no }) => tank_no), tanks.map(({ kept_from }) => kept_from)],
  );
  return rows.map(({ gauge_value, ...reading }) => JSON.stringify({ ...reading, ...measureFields(gauge_value) }));
}
