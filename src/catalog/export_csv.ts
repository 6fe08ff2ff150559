import type { Pool } from 'pg';
import { BYTE_ORDER_MARK, csvLine } from '../values/csv.ts';
import { formatDecimal } from '../values/decimal.ts';
import { formatPhones, type Phone } from '../values/phones.ts';

const BATCH_ROWS = 5_000;

const CUSTOMERS = `select no, id, external_key, email, name, phone, phone_whose, is_phone_texted, other_phones, is_verified, verified_at,
    created_at from customers
  where organization_no = $1 and deleted_at is null and no > $2 order by no limit $3`;

const TANKS = `select no, id, (select coalesce(external_key, id::text) from customers where no = t.owner_no) as owner, custom_id,
    name, assigned_device_id, capacity, capacity_unit, min_fill_alert_percentage, use_case, city, country, district,
    latitude, longitude, postal_code, region, street, street_number, is_batch_tank, report_interval_hours, is_mobile,
    product, fill_limit_percentage, order_threshold_percentage, external_key, created_at
  from tanks t where organization_no = $1 and deleted_at is null and no > $2 order by no limit $3`;

/** Yields CSV that an import can read, in batches of rows, oldest rows first. */
export async function* exportCsv(
  pool: Pool,
  organizationNo: number,
  what: 'customers' | 'tanks',
  options: { isSpreadsheetSafe?: boolean; hasByteOrderMark?: boolean } = {},
): AsyncGenerator<string> {
  let last = 0;
  for (let isFirst = true; ; isFirst = false) {
    const { rows, fields } = await pool.query<Record<string, unknown> & { no: number }>(
      what === 'customers' ? CUSTOMERS : TANKS,
      [organizationNo, last, BATCH_ROWS],
    );
    const columns = fields.map((field) => field.name).filter((name) => name !== 'no');
    if (isFirst) yield (options.hasByteOrderMark ? BYTE_ORDER_MARK : '') + csvLine(columns);
    if (rows.length === 0) return;
    yield rows
      .map((row) =>
        csvLine(
          columns.map((column) => cellOf(row[column])),
          options,
        ),
      )
      .join('');
    last = rows.at(-1)?.no ?? last;
  }
}

/** Writes numbers so that an import does not read 1.125 as 1125. */
const cellOf = (value: unknown): unknown =>
  typeof value === 'number' ? formatDecimal(value) : arePhones(value) ? formatPhones(value) : value;

/** Phones are the only list in these rows. */
const arePhones = (value: unknown): value is Phone[] => Array.isArray(value);
