import { onlyRow } from '../db/only_row.ts';
import type { Tx } from '../db/pool.ts';
import { DAY, needsOrder } from '../values/file_dates.ts';
import { parseFileTime } from '../values/text_format.ts';
import { DAY_MS } from '../values/time.ts';
import { type Field, number, orNull } from './field.ts';
import type { UpsertBatch } from './upsert_rows.ts';

const FIRST_MS = Date.parse('2000-01-01T00:00:00Z');

const UNKNOWN_ORDER = {
  reason: 'must say whether the day or the month is first: give date_order, dmy or mdy, or write it like 2025-12-31',
  code: 'date_order',
} as const;

/**
 * A day without a time means its noon. Today before noon it means the beginning of the day, so a file with today's date
 * that is imported before and after noon has two times.
 */
const measuredAt: Field<string> = (given, format) => {
  const [, day] = DAY.exec(given.trim()) ?? [];
  const noon = /^\d{4}-/.test(given.trim()) ? `${day}T12:00:00` : `${day} 12:00`;
  if (format?.dateOrder === undefined && needsOrder(given)) return UNKNOWN_ORDER;
  const atMs = parseFileTime(day === undefined ? given : noon, format);
  if (typeof atMs === 'string') return { reason: atMs };
  const nowMs = Date.now();
  const isToday = day !== undefined && atMs - nowMs < DAY_MS / 2;
  if (atMs > nowMs && !isToday) return { reason: 'must not be in the future' };
  if (atMs < FIRST_MS) return { reason: 'must not be before 2000' };
  return { value: new Date(atMs > nowMs ? atMs - DAY_MS / 2 : atMs).toISOString() };
};

const percentage = orNull(
  number({
    accepts: (value) => value >= 0 && value <= 100,
    wanted: 'a number from 0 to 100',
    isPercentage: true,
    isBelow1000: true,
  }),
);

/** Texts that programs write for a missing level. The tank is then imported without a level. */
const NO_LEVEL = /^(n\/?a|n\. ?a\.|-{1,3}|–|—|\?)$/i;

/** Two columns of a file of tanks: the level that a person read on the dial, and when. */
export const LEVEL_COLUMNS = {
  fill_percentage: ((given, format) =>
    NO_LEVEL.test(given.trim()) ? { value: null } : percentage(given, format)) satisfies Field<number | null>,
  measured_at: orNull(measuredAt),
};

/**
 * Stores the levels of rows (JSON texts with owner_no and custom_id) as manual readings, and returns how many. The
 * levels of tanks with a sensor are not stored.
 */
export async function storeLevels(
  tx: Tx,
  organizationNo: number,
  { rowTexts, importNo }: Pick<UpsertBatch, 'rowTexts' | 'importNo'>,
): Promise<number> {
  const { rows } = await tx.query<{ stored: number }>(
    // Stores only levels that are newer than the latest level of the tank, so that importing a file twice stores them
    // once.
    `with stored as (insert into waiting_dips (organization_no, tank_no, at, fill_percentage)
     select $1, t.no, given.measured_at, given.fill_percentage
     from json_to_recordset($2) as given (owner_no int, custom_id text, measured_at timestamptz, fill_percentage real)
     join tanks t on t.organization_no = $1 and t.owner_no = given.owner_no and t.custom_id = given.custom_id and t.deleted_at is null
     join estimated_tanks e on e.tank_no = t.no and e.manual_to = 'infinity' and e.manual_from <= given.measured_at
     where given.fill_percentage is not null
       and not exists (select from tank_states s where s.tank_no = t.no and s.latest_at >= given.measured_at)
     returning tank_no, at, fill_percentage),
     recorded as (
       update imported_rows r set level_at = s.at, level_percentage = s.fill_percentage
       from stored s where r.import_no = $3 and r.object = 'tank' and r.object_no = s.tank_no
     )
     select count(*)::int as stored from stored`,
    [organizationNo, `[${rowTexts.join()}]`, importNo ?? null],
  );
  return onlyRow(rows).stored;
}
