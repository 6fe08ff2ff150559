import { arrayLiteral, type Tx } from '../db/pool.ts';
import type { CapacityUnit } from '../values/capacity_unit.ts';
import { fillLimitOf, productOf } from '../values/products.ts';
import { EXPANSION_PER_CELSIUS } from '../values/thermal_expansion.ts';
import { HOUR_MS } from '../values/time.ts';
import type {
  AlertSettings,
  EvaluationInput,
  ManualSettings,
  OverfillSettings,
  SourceOutage,
} from './pure/alerts/tank_state.ts';
import { readRegions } from './regions.ts';

/** The settings of a tank that evaluation needs beside its state. */
export interface TankSettings {
  tankNo: number;
  organizationNo: number;
  isDeleted: boolean;
  settings: AlertSettings;
  /** The time zone of its organization. */
  timeZone: string;
  /** When the alert settings last changed; null if they never did. */
  changedAtMs: number | null;
}

export type SettingsChange = Extract<EvaluationInput, { kind: 'settings' }> & { before: AlertSettings };

export interface TankSettingsHistory extends TankSettings {
  /** All changes, oldest first. */
  changes: readonly SettingsChange[];
}

interface SettingsColumns {
  min_fill_alert_percentage: number;
  capacity: number;
  capacity_unit: CapacityUnit;
  is_batch_tank: boolean;
  report_interval_hours: number | null;
  is_mobile: boolean;
  order_threshold_percentage: number | null;
}

interface SettingsRow extends SettingsColumns {
  tank_no: number;
  organization_no: number;
  is_deleted: boolean;
  time_zone: string | null;
  changed_ms: number | null;
  unusual_use_off_ms: number | null;
  /** Null if the tank always had a sensor. */
  manual_from_ms: number | null;
  manual_to_ms: number | null;
  is_told: boolean | null;
  product: string | null;
  fill_limit_percentage: number | null;
  overfill_from_ms: number | null;
  /** Null if the source of the tank always worked. */
  outages: SourceOutage[] | null;
}

const COLUMNS = `f.tank_no, f.organization_no, f.is_deleted, f.min_fill_alert_percentage, f.capacity, f.capacity_unit,
  f.is_batch_tank, f.report_interval_hours, f.is_mobile, f.order_threshold_percentage, f.time_zone,
  date_part('epoch', f.settings_changed_at) * 1000 as changed_ms, date_part('epoch', f.unusual_use_off_at) * 1000 as unusual_use_off_ms,
  date_part('epoch', e.manual_from) * 1000 as manual_from_ms, date_part('epoch', e.manual_to) * 1000 as manual_to_ms,
  e.is_told, k.product, k.fill_limit_percentage, date_part('epoch', k.overfill_from) * 1000 as overfill_from_ms, u.outages`;
/** The first parameter has the numbers of the tanks. */
const JOINS = `left join estimated_tanks e on e.tank_no = f.tank_no left join tank_contents k on k.tank_no = f.tank_no
  left join (
    select tank_no, json_agg(json_build_object('fromMs', date_part('epoch', from_at) * 1000, 'toMs', date_part('epoch', to_at) * 1000)
                             order by from_at) as outages
    from tank_outages where tank_no = any ($1::int[]) group by tank_no
  ) as u on u.tank_no = f.tank_no`;

/**
 * Reads the settings of tanks whose locks the caller holds. This is not part of the locking statement: a statement that
 * waits for a lock sees the new tank state, but the settings from before it waited.
 */
export async function readSettings(tx: Tx, tankNos: readonly number[]): Promise<Map<number, TankSettings>> {
  const { rows } = await tx.query<SettingsRow>({
    name: 'read_settings',
    text: `select ${COLUMNS} from tank_settings f ${JOINS} where f.tank_no = any ($1::int[])`,
    values: [arrayLiteral(tankNos)],
  });
  const manual = await manualSettings(tx, rows);
  return new Map(rows.map((row) => [row.tank_no, toSettings(row, manual.get(row.tank_no))]));
}

/** Reads the settings and their history in one statement, so that both are from the same time. */
export async function readSettingsHistory(
  tx: Tx,
  tankNos: readonly number[],
): Promise<Map<number, TankSettingsHistory>> {
  if (tankNos.length === 0) return new Map();
  const { rows } = await tx.query<SettingsRow & { history: (SettingsColumns & { at: string })[] | null }>(
    `select ${COLUMNS}, history.history
     from unnest($1::int[]) as wanted (tank_no)
     join tank_settings f on f.tank_no = wanted.tank_no
     ${JOINS}
     cross join lateral (
       select json_agg(h order by h.at) as history from tank_settings_history h where h.tank_no = f.tank_no
     ) as history`,
    [arrayLiteral(tankNos)],
  );
  const manual = await manualSettings(tx, rows);
  return new Map(
    rows.map((row) => {
      const tank = toSettings(row, manual.get(row.tank_no));
      return [row.tank_no, { ...tank, changes: toChanges(row.history ?? [], tank.settings) }];
    }),
  );
}

/** Reads the settings of the tanks that have, or had, no sensor. Most batches have no such tank and need no second statement. */
async function manualSettings(tx: Tx, rows: readonly SettingsRow[]): Promise<Map<number, ManualSettings>> {
  const manual = rows.filter((row) => row.manual_from_ms !== null);
  if (manual.length === 0) return new Map();
  const regions = await readRegions(
    tx,
    manual.map((row) => row.tank_no),
  );
  return new Map(
    manual.map(({ tank_no, manual_from_ms, manual_to_ms, is_told }) => [
      tank_no,
      {
        fromMs: Math.round(manual_from_ms ?? 0),
        toMs: Math.round(manual_to_ms ?? 0),
        region: regions.get(tank_no) ?? null,
        isUsePredictable: is_told ?? true,
      },
    ]),
  );
}

const toSettings = (row: SettingsRow, manual: ManualSettings | undefined): TankSettings => ({
  tankNo: row.tank_no,
  organizationNo: row.organization_no,
  isDeleted: row.is_deleted,
  settings: {
    ...toAlertSettings(row),
    ...(row.unusual_use_off_ms !== null && { unusualUseOffAtMs: row.unusual_use_off_ms }),
    ...(row.overfill_from_ms !== null && { overfill: overfillSettings(row, row.overfill_from_ms) }),
    ...(row.outages !== null && { outages: row.outages }),
    ...(manual && { manual }),
  },
  timeZone: row.time_zone ?? 'UTC',
  changedAtMs: row.changed_ms === null ? null : Math.round(row.changed_ms),
});

/** A tank that was filled to its limit may warm by this much before the next reading: from a night to a day in the sun. */
const WARMING_CELSIUS = 20;

function overfillSettings({ product, fill_limit_percentage }: SettingsRow, fromMs: number): OverfillSettings {
  const limitPercentage = fillLimitOf({ product, fill_limit_percentage });
  const warmingPoints = WARMING_CELSIUS * (EXPANSION_PER_CELSIUS[productOf(product)] ?? 0) * limitPercentage;
  return { limitPercentage, warmingPoints, fromMs: Math.round(fromMs) };
}

const toAlertSettings = (row: SettingsColumns): AlertSettings => ({
  minFillAlertPercentage: row.min_fill_alert_percentage,
  capacity: row.capacity,
  capacityUnit: row.capacity_unit,
  isBatchTank: row.is_batch_tank,
  reportIntervalMs: row.report_interval_hours === null ? null : row.report_interval_hours * HOUR_MS,
  isMobile: row.is_mobile,
  orderPercentage: row.order_threshold_percentage,
});

/**
 * The history stores the settings before each change. The settings after it are those before the next change. The current values of
 * settings without a history are used for all times.
 */
function toChanges(history: readonly (SettingsColumns & { at: string })[], now: AlertSettings): SettingsChange[] {
  let after = now;
  return history
    .toReversed()
    .map((row): SettingsChange => {
      const before = { ...now, ...toAlertSettings(row) };
      const change = { kind: 'settings', atMs: Date.parse(row.at), before, settings: after } as const;
      after = before;
      return change;
    })
    .toReversed();
}

/** The settings that were in effect at a time. */
export const settingsAt = ({ settings, changes }: TankSettingsHistory, atMs: number): AlertSettings =>
  changes.find((change) => change.atMs > atMs)?.before ?? settings;
