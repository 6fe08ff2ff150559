import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';

/** The state of production at one time, which a restored database is compared with. */
export interface ProductionFacts {
  at: string;
  /** The time when the last WAL file was archived. Null if this server has archived none. */
  archived_at: string | null;
  readings: number;
  /** A sample of tanks with the times of their latest readings. */
  latest: readonly { tank_no: number; latest_at: string }[];
}

const SAMPLED_TANKS = 1_000;

/** Reads the state of production. The sample comes from random pages of the table, which can have millions of rows. */
export async function readProductionFacts(db: Db): Promise<ProductionFacts> {
  const { rows } = await db.query<{ at: string; archived_at: string | null; readings: number; share: number }>(
    `select now() as at, (select last_archived_time from pg_stat_archiver) as archived_at,
            (select coalesce(sum(n), 0)::float8 from telemetry_month_counters) as readings,
            (select least(100, 100.0 * ${2 * SAMPLED_TANKS} / greatest(reltuples, 1))::float8
             from pg_class where oid = 'tank_states'::regclass) as share`,
  );
  const { share, ...facts } = onlyRow(rows);
  const { rows: latest } = await db.query<{ tank_no: number; latest_at: string }>(
    'select tank_no, latest_at from tank_states tablesample system ($1) limit $2',
    [share, SAMPLED_TANKS],
  );
  return { ...facts, latest };
}

/**
 * Lists the data of production that the restored database lacks. Without a replay of the stream, it lacks the readings
 * since the last archived WAL; the RPO reports that.
 */
export async function compareWithProduction(
  restored: Db,
  { readings, latest }: ProductionFacts,
  isReplayed: boolean,
): Promise<string[]> {
  const { rows } = await restored.query<{ readings: number; behind: number; missing: number }>(
    `select (select coalesce(sum(n), 0)::float8 from telemetry_month_counters) as readings,
            count(*) filter (where s.latest_at < p.latest_at) as behind, count(*) filter (where s.tank_no is null) as missing
     from unnest($1::int[], $2::timestamptz[]) as p (tank_no, latest_at) left join tank_states s using (tank_no)`,
    [latest.map((row) => row.tank_no), latest.map((row) => row.latest_at)],
  );
  if (!isReplayed) return [];
  const found = onlyRow(rows);
  return [
    ...(found.readings < readings
      ? [`${(readings - found.readings).toLocaleString('en')} readings of production are missing`]
      : []),
    ...(found.behind + found.missing > 0
      ? [`${found.behind + found.missing} of ${latest.length} tanks lack their latest reading`]
      : []),
  ];
}
