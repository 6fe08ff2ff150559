import type { ImportRow, ImportTarget } from '../catalog/import_row.ts';
import { lockOrganization, readTimeZone } from '../catalog/organizations.ts';
import { type UpsertBatch, type UpsertCounts, type UpsertTarget, upsertRows } from '../catalog/upsert_rows.ts';
import type { Db, Tx } from '../db/pool.ts';
import { toLiters } from '../values/capacity_unit.ts';
import { isDeliveredBy, productOf } from '../values/products.ts';
import type { RowError } from '../values/row_error.ts';
import { doubtVolume } from '../values/volume_doubt.ts';
import { zonedDayStartMs } from '../values/zoned_time.ts';
import { NOTE_FIELDS } from './delivery_note_fields.ts';
import { findNamed, type NamedObjects, type NotedTank, namedText } from './named_objects.ts';

const COLUMNS = `organization_no, id, series, number, customer_no, tank_no, truck_no, driver_no, at, precision, volume, unit,
  product, is_compensated, product_celsius, filled_to, reference, is_cancelled, source`;

/**
 * A customer who is deleted between the check and this statement gets no note. A driver's note that an import or a
 * person changes is no longer a note of the driver, so that later entries of the phone do not change it.
 */
const SELECT = `select g.ordinality as position, $1::int as organization_no, g.id, coalesce(g.series, '') as series, g.number, g.customer_no, g.tank_no,
    g.truck_no, g.driver_no, g.at, g.precision, g.volume, g.unit, g.product, g.is_compensated, g.product_celsius,
    g.filled_to, g.reference,
    coalesce(g.is_cancelled, false) as is_cancelled,
    case when n.source <> 'driver' then n.source else g.source end as source
  from rows from (json_to_recordset($2) as (id uuid, series text, number text, customer_no int, tank_no int, truck_no int,
    driver_no int, at timestamptz(3), precision text, volume float8, unit text, product text, is_compensated boolean,
    product_celsius real, filled_to real, reference text, is_cancelled boolean, source text)) with ordinality as g
  join customers c on c.no = g.customer_no and c.organization_no = $1 and c.deleted_at is null
  left join delivery_notes n on n.organization_no = $1 and n.series = coalesce(g.series, '') and n.number = g.number`;

const UPSERT: UpsertTarget = {
  table: 'delivery_notes',
  key: ['organization_no', 'series', 'number'],
  columns: COLUMNS,
  select: SELECT,
};

/** The columns that a field of a note is stored in. Series and number only identify it. */
const COLUMNS_OF: Readonly<Record<string, readonly string[]>> = {
  at: ['at', 'precision'],
  volume: ['volume'],
  unit: ['unit'],
  tank: ['customer_no', 'tank_no'],
  customer: ['customer_no', 'tank_no'],
  truck: ['truck_no'],
  driver: ['driver_no'],
  product: ['product'],
  compensated: ['is_compensated'],
  product_temperature: ['product_celsius'],
  filled_to: ['filled_to'],
  reference: ['reference'],
  status: ['is_cancelled'],
};
const columnsOf = (fields: readonly string[]): string[] => [
  ...new Set(fields.flatMap((field) => COLUMNS_OF[field] ?? [])),
];
const CONTENT_COLUMNS = columnsOf(Object.keys(COLUMNS_OF));

export type NoteSource = 'api' | 'console' | 'import' | 'driver';

/**
 * Delivery notes from a file, a body or a line of a bulk, by series and number. A note that exists with other content
 * is an error unless it may be replaced: two notes with the same number are a bookkeeping mistake.
 */
export const noteImport = ({ source, replace }: { source: NoteSource; replace: boolean }): ImportTarget => ({
  fields: NOTE_FIELDS,
  requiredColumns: ['number', 'at', 'volume'],
  uniqueKeys: [['series', 'number']],
  async check(db, organizationNo, rows) {
    const zone = await readTimeZone(db, organizationNo);
    const named = await findNamed(db, organizationNo, rows);
    for (const row of rows) {
      row.values['series'] ??= '';
      row.values['source'] = source;
      resolveObjects(row, named);
      resolveTime(row, zone);
      addWarnings(row, named);
    }
    if (!replace)
      await refuseOtherContent(
        db,
        organizationNo,
        rows.filter(({ errors }) => errors.length === 0),
      );
  },
  upsert: (tx, organizationNo, batch) => storeNotes(tx, organizationNo, source, batch),
});

/** Updates the given fields of notes that exist, and inserts the others. The rows must be checked. */
async function storeNotes(
  tx: Tx,
  organizationNo: number,
  source: NoteSource,
  { given, ...batch }: UpsertBatch,
): Promise<UpsertCounts> {
  await lockOrganization(tx, organizationNo);
  // A number whose note a driver has cancelled is free: the new note keeps nothing of that note, also if the file has not all columns.
  const { rows: freed } = await tx.query<{ no: number }>(
    `update delivery_notes t set ${CONTENT_COLUMNS.map((column) => `${column} = g.${column}`).join(', ')} from (${SELECT}) as g
     where t.organization_no = $1 and t.series = g.series and t.number = g.number and t.source = 'driver' and t.is_cancelled
     returning t.no`,
    [organizationNo, `[${batch.rowTexts.join(',')}]`],
  );
  // The pins were about the delivery of that note. The login of commands, which import files, may not delete them.
  if (source !== 'import' && freed.length > 0)
    await tx.query('delete from note_pins where note_no = any ($1)', [freed.map(({ no }) => no)]);
  return upsertRows(tx, UPSERT, organizationNo, { ...batch, given: [...columnsOf(given), 'source'] });
}

/** Converts a day to a time by the clock of the organization. */
function resolveTime({ values }: ImportRow, zone: string): void {
  const given = String(values['at']);
  const isDay = given.length === 10;
  values['precision'] = isDay ? 'day' : 'minute';
  if (!isDay) return;
  values['at'] = new Date(zonedDayStartMs(given, zone)).toISOString();
}

function resolveObjects(row: ImportRow, named: NamedObjects): void {
  const { values, errors } = row;
  const [customer, tank] = [namedText(row, 'customer'), namedText(row, 'tank')];
  const [truck, driver] = [namedText(row, 'truck'), namedText(row, 'driver')];
  const addUnknown = (column: string, text: string, problem: string, advice: string): unknown =>
    errors.push({ column, text, problem, advice, isPerText: true });
  const ownerNo = customer === null ? undefined : named.customerNo(customer);
  if (customer !== null && ownerNo === undefined)
    addUnknown('customer', customer, 'is not the external_key or id of a customer', 'Import the customers first.');
  const tanks = tank === null ? [] : named.tanks(tank).filter((one) => customer === null || one.owner_no === ownerNo);
  const [found, second] = tanks;
  if (tank !== null && found === undefined && errors.length === 0) {
    const whose = customer === null ? 'a tank' : 'a tank of this customer';
    addUnknown('tank', tank, `is not the custom_id, external_key, id or device of ${whose}`, 'Import the tanks first.');
  }
  if (second !== undefined)
    addUnknown('tank', tank ?? '', 'is the custom_id of several tanks', 'Add the column customer.');
  if (tank === null && customer === null)
    errors.push({ column: 'tank', text: null, problem: 'tank or customer must be given' });
  const truckFound = truck === null ? undefined : named.truck(truck);
  if (truck !== null && truckFound === undefined)
    addUnknown('truck', truck, 'is not the name, external_key or id of a truck', 'Create the truck first.');
  const driverNo = driver === null ? undefined : named.driverNo(driver);
  if (driver !== null && driverNo === undefined)
    addUnknown('driver', driver, 'is not the name, external_key or id of a driver', 'Create the driver first.');
  values['customer_no'] = found?.owner_no ?? ownerNo;
  values['tank_no'] = found?.no ?? null;
  values['truck_no'] = truckFound?.no ?? null;
  values['driver_no'] = driverNo ?? null;
  values['unit'] ??= found?.unit ?? truckFound?.unit ?? 'liters';
  values['is_compensated'] = values['compensated'] ?? null;
  values['product_celsius'] = values['product_temperature'] ?? null;
  values['is_cancelled'] = values['status'] === 'cancelled';
}

/** Adds warnings about an implausible note. It is still stored: a file can have too many notes to ask about each. */
function addWarnings(row: ImportRow, named: NamedObjects): void {
  const tank = named.tanks(namedText(row, 'tank') ?? '').find(({ no }) => no === row.values['tank_no']);
  if (tank === undefined || row.values['is_cancelled'] === true) return;
  const warnings = [...productWarnings(row, tank), ...volumeWarnings(row, tank)];
  if (warnings.length > 0) row.warnings = warnings;
}

/**
 * A note of another product than the tank holds is stored and marked, not refused: the product of the tank may be
 * wrong, or only the default. If it is right, the mark shows people a wrong delivery.
 */
function productWarnings(row: ImportRow, tank: NotedTank): RowError[] {
  const text = namedText(row, 'product');
  const held = productOf(tank.product);
  if (text === null || isDeliveredBy(text, held)) return [];
  const advice = 'The notes were imported. Check what was delivered, and the products of the tanks.';
  return [{ column: 'product', text, problem: `is not what its tank holds, ${held}`, advice, group: 'other product' }];
}

function volumeWarnings(row: ImportRow, tank: NotedTank): RowError[] {
  const { volume, unit } = row.values;
  if (typeof volume !== 'number') return [];
  const noteUnit = unit === 'gallons' ? 'gallons' : 'liters';
  const liters = toLiters(volume, noteUnit);
  const doubt = doubtVolume(liters, { capacity: toLiters(tank.capacity, tank.unit) });
  if (doubt === null) return [];
  const isMore = liters > doubt.volume;
  const text = `${volume} ${noteUnit}`;
  const problem = `${isMore ? 'is more than its tank holds' : 'is very little for its tank'}, ${tank.capacity} ${tank.unit}`;
  const advice = 'The notes were imported. Check their volumes and units.';
  return [{ column: 'volume', text, problem, advice, group: isMore ? 'too much' : 'too little' }];
}

/**
 * Adds an error to each row whose number belongs to a stored note with other content. Compares only the columns of the
 * file: a file without trucks is not different content. A cancelled note of a driver does not count.
 */
async function refuseOtherContent(db: Db, organizationNo: number, rows: readonly ImportRow[]): Promise<void> {
  const columns = ['series', 'number', ...CONTENT_COLUMNS].map((column) => `n.${column}`);
  const { rows: existing } = await db.query<Record<string, unknown>>(
    `select ${columns.join(', ')} from unnest($2::text[], $3::text[]) as g (series, number)
     join delivery_notes n on n.organization_no = $1 and n.series = g.series and n.number = g.number
       and not (n.is_cancelled and n.source = 'driver')`,
    [organizationNo, rows.map(({ values }) => values['series']), rows.map(({ values }) => values['number'])],
  );
  const keyOf = (series: unknown, number: unknown): string => JSON.stringify([series, number]);
  const byKey = new Map(existing.map((note) => [keyOf(note['series'], note['number']), note]));
  for (const { values, errors } of rows) {
    const note = byKey.get(keyOf(values['series'], values['number']));
    if (note === undefined) continue;
    const given = Object.keys(COLUMNS_OF).filter((field) => Object.hasOwn(values, field));
    const other = given.find((field) => columnsOf([field]).some((column) => !isSame(note[column], values[column])));
    if (other === undefined) continue;
    const advice = 'Correct the number, or use --replace if the file is right.';
    errors.push({
      column: 'number',
      text: String(values['number']),
      problem: `is a stored note with another ${other}`,
      advice,
    });
  }
}

/** Temperatures and percentages are stored as 4-byte floats. */
const isSame = (stored: unknown, given: unknown): boolean =>
  typeof stored === 'number' && typeof given === 'number'
    ? Math.fround(stored) === Math.fround(given)
    : (stored ?? null) === (given ?? null);
