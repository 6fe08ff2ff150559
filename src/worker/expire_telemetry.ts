import { join } from 'node:path';
import type { Pool } from 'pg';
import { onlyRow } from '../db/only_row.ts';
import { type Tx, transaction } from '../db/pool.ts';
import { computeBaseCheckpoints } from '../evaluation/base_checkpoint.ts';
import { readReadingsBefore } from '../evaluation/stored_readings.ts';
import type { RetentionConfig } from '../settings/worker_settings.ts';
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
 * Drops the readings of months that are older than the retention of their organization, in batches of tanks. If there is an archive,
 * each batch is archived first. Its tanks are locked, so that the file contains exactly the dropped readings. If the worker ends
 * before the readings are dropped, the next run finds the file or, if there are more readings, writes another one. Recorded events
 * stay: from then on, evaluation begins with the state at the last dropped reading.
 */
export async function expireTelemetry(
  pool: Pool,
  { telemetryDays, archiveFolder }: Pick<RetentionConfig, 'telemetryDays' | 'archiveFolder'>,
): Promise<ExpiredTelemetry> {
  const result = { tanks: 0, readings: 0, files: 0 };
  const { rows: organizations } = await pool.query<Organization>(
    // Only organizations with readings to drop are selected: on most days, none of 20,000.
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
    let lastNo: number | null = 0;
    while (lastNo !== null) {
      const afterNo: number = lastNo;
      const batch = await transaction(pool, (tx) => expireBatch(tx, organization, afterNo, archiveFolder));
      result.tanks += batch.tanks;
      result.readings += batch.readings;
      result.files += batch.files;
      lastNo = batch.lastNo;
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
  const bases = new Map((await computeBaseCheckpoints(tx, readings)).map((base) => [base.tankNo, base]));
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

/** The first tanks, at least one, whose readings fit into one transaction. The other tanks are unlocked at its end. */
function firstTanks(locked: readonly ExpiringTank[]): ExpiringTank[] {
  let readings = 0;
  return locked.filter((tank, index) => {
    readings += tank.readings;
    return index === 0 || readings <= BATCH_READINGS;
  });
}

/** The readings of tanks as lines that `tankwatch telemetry import` reads, with their measures. */
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
