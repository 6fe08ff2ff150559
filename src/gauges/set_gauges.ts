import type { ChangeContext } from '../catalog/change_context.ts';
import { liveTank, type TankReference } from '../catalog/tanks.ts';
import type { Db } from '../db/pool.ts';
import { InvalidValuesError, NoSuchObjectError, refuseProblems } from '../values/change_refusal.ts';
import type { TankGauge } from './gauge_schema.ts';
import { findGaugeProblems } from './tank_gauge.ts';

export const MAX_GAUGES_PER_TANK = 20;

/** A gauge as callers set it. It is used from `from_at` (null for the beginning) until the next gauge begins. */
export type NewGauge = TankGauge & { from_at: string | null };

export type StoredGauge = NewGauge & {
  changed_at: string;
  changed_by: string;
  /** When the stored levels of the gauge's period were last computed with it; null if they were not computed yet. */
  recomputed_at: string | null;
  /** The number of stored measures of the gauge's period that it cannot read. They keep their previous levels. */
  unreadable_measures: number;
};

export interface TankGauges {
  /** Oldest first. */
  gauges: StoredGauge[];
  /** True if stored levels are still to be computed again. */
  is_recomputing: boolean;
}

export async function readTankGauges(db: Db, tankNo: number): Promise<TankGauges> {
  const { rows } = await db.query<Omit<StoredGauge, keyof TankGauge> & { definition: TankGauge }>(
    `select nullif(from_at, '-infinity') as from_at, definition, changed_at, changed_by, recomputed_at,
            unreadable as unreadable_measures
     from tank_gauges g where tank_no = $1 order by g.from_at`,
    [tankNo],
  );
  const { rowCount } = await db.query('select from gauge_recomputations where tank_no = $1', [tankNo]);
  return {
    gauges: rows.map(({ definition, from_at, ...row }) => ({ from_at, ...definition, ...row })),
    is_recomputing: rowCount === 1,
  };
}

/** Returns the gauges after a gauge was set, or removed if `gauge` is undefined. Without `fromAt`, the newest one changes. */
export function withGauge(
  gauges: readonly NewGauge[],
  fromAt: string | undefined,
  gauge: TankGauge | undefined,
): NewGauge[] {
  const from_at = fromAt ?? gauges.at(-1)?.from_at ?? null;
  const others = gauges.filter((other) => other.from_at !== from_at);
  return gauge === undefined ? others : [...others, { ...gauge, from_at }];
}

/**
 * Sets all gauges of a tank, and writes only the differences. Triggers write the audit log and put the tank into the queue of tanks whose
 * levels are computed again, even if a gauge only begins earlier or ends. `check` may refuse the change.
 */
export async function setTankGauges(
  { tx, organizationNo }: ChangeContext,
  reference: TankReference,
  given: readonly NewGauge[] | ((current: TankGauges) => readonly NewGauge[]),
  check: (current: TankGauges) => void = () => {},
): Promise<number> {
  const { no } = await liveTank(tx, organizationNo, reference);
  // Locks the tank, so that it is not deleted and gets no other gauges meanwhile.
  const { rowCount } = await tx.query('select from tanks where no = $1 and deleted_at is null for no key update', [no]);
  if (!rowCount) throw new NoSuchObjectError('tank');
  const current = await readTankGauges(tx, no);
  check(current);
  const gauges = typeof given === 'function' ? given(current) : given;
  refuseGauges(gauges);
  await tx.query(
    `with wanted as (
       select coalesce(from_at, '-infinity')::timestamptz(3) as from_at, definition
       from unnest($3::timestamptz[], $4::jsonb[]) as w (from_at, definition)
     ), removed as (
       delete from tank_gauges g where g.tank_no = $1 and g.from_at not in (select from_at from wanted)
     )
     insert into tank_gauges as g (tank_no, organization_no, from_at, definition)
     select $1, $2, from_at, definition from wanted order by from_at
     on conflict (tank_no, from_at) do update
     set definition = excluded.definition, changed_at = now(), changed_by = current_actor()
     where g.definition <> excluded.definition`,
    [
      no,
      organizationNo,
      gauges.map(({ from_at }) => from_at),
      gauges.map(({ shape, measures, offset_mm, density_kg_m3, range }) =>
        JSON.stringify({ shape, measures, offset_mm, density_kg_m3, range }),
      ),
    ],
  );
  return no;
}

/** Throws InvalidValuesError if a gauge, or all of them together, cannot be used. */
function refuseGauges(gauges: readonly NewGauge[]): void {
  if (gauges.length > MAX_GAUGES_PER_TANK)
    throw new InvalidValuesError([{ field: 'gauges', reason: `must be at most ${MAX_GAUGES_PER_TANK}` }]);
  if (new Set(gauges.map(({ from_at }) => from_at && Date.parse(from_at))).size < gauges.length)
    throw new InvalidValuesError([{ field: 'gauges', reason: 'must begin at different times' }]);
  refuseProblems(
    gauges.flatMap((gauge, index) =>
      findGaugeProblems(gauge).map(({ field, ...rest }) => ({ field: `gauges/${index}/${field}`, ...rest })),
    ),
  );
}
