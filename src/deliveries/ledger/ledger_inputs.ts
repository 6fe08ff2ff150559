import { readTimeZone } from '../../catalog/organizations.ts';
import type { Tx } from '../../db/pool.ts';
import { type CapacityUnit, toLiters } from '../../values/capacity_unit.ts';
import { isManualDevice } from '../../values/manual_device.ts';
import { type Product, productNamed, productOf } from '../../values/products.ts';
import { DAY_MS } from '../../values/time.ts';
import { zonedDate } from '../../values/zoned_time.ts';
import type { DeliveryNote, SeenRefill } from '../pure/notes/delivery_note.ts';
import type { MatchPin } from '../pure/notes/match_pins.ts';
import type { LedgerTank } from '../pure/notes/note_verdict.ts';
import { gaugeCharacteristics } from './gauge_characteristics.ts';

/** A note with the fields that the pure functions do not need. */
export interface InputNote extends DeliveryNote {
  no: number;
  driverId: string | null;
}

/** The inputs of the ledger of one customer. */
export interface CustomerInputs {
  customerNo: number;
  notes: InputNote[];
  refills: SeenRefill[];
  pins: MatchPin[];
  tanks: LedgerTank[];
}

/**
 * Notes before or after these times are ignored. Between these times, and on days around them, JavaScript and
 * PostgreSQL write times in the same way.
 */
const EARLIEST_NOTE_AT = `'1000-01-01T00:00:00Z'`;
export const LATEST_NOTE_AT = `'9998-12-31T00:00:00Z'`;

/** The key is series and number, because internal numbers depend on the order in which notes were imported. */
export const noteKey = (series: string, number: string): string => `${series}\n${number}`;

/** Reads the notes, refills, pins and tanks of customers. Call copyRefills before. */
export async function readInputs(
  tx: Tx,
  organizationNo: number,
  customerNos: readonly number[],
  beginsAt: string,
): Promise<CustomerInputs[]> {
  const inputs = new Map<number, CustomerInputs>(
    customerNos.map((customerNo) => [customerNo, { customerNo, notes: [], refills: [], pins: [], tanks: [] }]),
  );
  for (const note of await readNotes(tx, organizationNo, customerNos))
    inputs.get(Number(note.customerId))?.notes.push(note);
  for (const refill of await readRefills(tx, customerNos, beginsAt))
    inputs.get(Number(refill.customerId))?.refills.push(refill);
  for (const { customerNo, ...pin } of await readPins(tx, customerNos)) inputs.get(customerNo)?.pins.push(pin);
  for (const tank of await readTanks(tx, customerNos)) inputs.get(Number(tank.customerId))?.tanks.push(tank);
  return [...inputs.values()];
}

interface NoteRow {
  no: number;
  series: string;
  number: string;
  customer_no: number;
  tank_no: number | null;
  truck_no: number | null;
  driver_no: number | null;
  at: string;
  precision: 'minute' | 'day';
  volume: number;
  unit: CapacityUnit;
  is_compensated: boolean | null;
  product_celsius: number | null;
  product: string | null;
  tank_product: string | null;
  truck_product: string | null;
  default_product: string;
}

async function readNotes(tx: Tx, organizationNo: number, customerNos: readonly number[]): Promise<InputNote[]> {
  const { rows } = await tx.query<NoteRow>(
    `select n.no, n.series, n.number, n.customer_no, n.tank_no, n.truck_no, n.driver_no, n.at, n.precision, n.volume, n.unit,
            coalesce(n.is_compensated, k.is_compensated) as is_compensated, n.product_celsius,
            n.product, t.product as tank_product, k.product as truck_product, o.default_product
     from delivery_notes n left join trucks k on k.no = n.truck_no left join tanks t on t.no = n.tank_no
     join organizations o on o.no = n.organization_no
     where n.organization_no = $1 and n.customer_no = any ($2) and not n.is_cancelled
       and n.at between ${EARLIEST_NOTE_AT} and ${LATEST_NOTE_AT}`,
    [organizationNo, customerNos],
  );
  const airCelsius = await readAir(
    tx,
    organizationNo,
    rows.filter(({ is_compensated, product_celsius }) => is_compensated === true && product_celsius === null),
  );
  return rows.map((row) => {
    const fromMs = Date.parse(row.at);
    return {
      no: row.no,
      id: noteKey(row.series, row.number),
      customerId: String(row.customer_no),
      tankId: row.tank_no === null ? null : String(row.tank_no),
      truckId: row.truck_no === null ? null : String(row.truck_no),
      driverId: row.driver_no === null ? null : String(row.driver_no),
      fromMs,
      toMs: row.precision === 'day' ? fromMs + DAY_MS : fromMs,
      liters: toLiters(row.volume, row.unit),
      isCompensated: row.is_compensated,
      productCelsius: row.product_celsius,
      airCelsius: airCelsius.get(row.no) ?? null,
      product: productOfNote(row),
    };
  });
}

/**
 * The product that was delivered: the product of the note, otherwise of its tank, otherwise the default of the
 * organization. For a note without a tank, the product of the truck comes before the default.
 */
const productOfNote = ({ product, tank_no, tank_product, truck_product, default_product }: NoteRow): Product =>
  productOf(
    product ?? tank_product ?? (tank_no === null ? productNamed(truck_product ?? '') : null) ?? default_product,
  );

/**
 * The mean temperature of the day at the tank, for compensated notes without a printed temperature, by the number of
 * the note.
 */
async function readAir(tx: Tx, organizationNo: number, notes: readonly NoteRow[]): Promise<Map<number, number>> {
  if (notes.length === 0) return new Map();
  // The days are computed here, because PostgreSQL may not know the name of the zone.
  const zone = await readTimeZone(tx, organizationNo);
  const { rows } = await tx.query<{ no: number; mean_c: number }>(
    `select n.no, air.mean_c
     from unnest($1::int[], $2::int[], $3::int[], $4::date[]) as n (no, customer_no, tank_no, on_date)
     cross join lateral (
       select p.mean_c
       from tanks t
       join tank_weather w on w.tank_no = t.no
       join place_temperatures p on p.place_no = w.place_no and p.kind = 'observed' and p.on_date = n.on_date
       where t.owner_no = n.customer_no and (n.tank_no is null or t.no = n.tank_no)
       order by t.no, p.issued_at desc limit 1
     ) as air`,
    [
      notes.map(({ no }) => no),
      notes.map(({ customer_no }) => customer_no),
      notes.map(({ tank_no }) => tank_no),
      notes.map(({ at }) => zonedDate(Date.parse(at), zone)),
    ],
  );
  return new Map(rows.map(({ no, mean_c }) => [no, mean_c]));
}

/** SQL expression: a time in Unix milliseconds. */
const unixMs = (time: string): string => `(extract(epoch from ${time}) * 1000)::float8`;

async function readRefills(tx: Tx, customerNos: readonly number[], beginsAt: string): Promise<SeenRefill[]> {
  const { rows } = await tx.query<SeenRefill>(
    `select r.tank_no::text as "tankId", t.owner_no::text as "customerId", ${unixMs('r.at')} as "atMs",
            ${unixMs('r.from_at')} as "fromMs", ${unixMs('r.to_at')} as "toMs", r.litres as liters,
            r.before_percentage as "beforePercentage", r.after_percentage as "afterPercentage",
            r.capacity_litres as "capacityLiters", r.noise_points as "noisePoints", r.use_points as "usePointsPerDay",
            r.cadence_ms as "cadenceMs", r.is_gauge_reliable as "isGaugeReliable"
     from tanks t join seen_refills r on r.tank_no = t.no and r.at >= $2
     where t.owner_no = any ($1) and t.deleted_at is null`,
    [customerNos, beginsAt],
  );
  return rows;
}

async function readPins(tx: Tx, customerNos: readonly number[]): Promise<(MatchPin & { customerNo: number })[]> {
  const { rows } = await tx.query<Omit<MatchPin, 'noteId'> & { customerNo: number; series: string; number: string }>(
    `select n.customer_no as "customerNo", n.series, n.number, p.tank_no::text as "tankId",
            ${unixMs('p.refill_at')} as "refillAtMs", p.kind
     from delivery_notes n join note_pins p on p.note_no = n.no
     where n.customer_no = any ($1)`,
    [customerNos],
  );
  return rows.map(({ series, number, ...pin }) => ({ ...pin, noteId: noteKey(series, number) }));
}

async function readTanks(tx: Tx, customerNos: readonly number[]): Promise<LedgerTank[]> {
  const { rows } = await tx.query<{
    no: number;
    owner_no: number;
    capacity: number;
    capacity_unit: CapacityUnit;
    assigned_device_id: string;
    latest_at: string | null;
    encoded_state: string | null;
  }>(
    `select t.no, t.owner_no, t.capacity, t.capacity_unit, t.assigned_device_id, s.latest_at, s.encoded_state
     from tanks t left join tank_states s on s.tank_no = t.no and s.latest_at > '-infinity'
     where t.owner_no = any ($1) and t.deleted_at is null`,
    [customerNos],
  );
  return rows.map((row) => ({
    id: String(row.no),
    customerId: String(row.owner_no),
    capacityLiters: toLiters(row.capacity, row.capacity_unit),
    latestReadingMs:
      row.latest_at === null || isManualDevice(row.assigned_device_id) ? null : Date.parse(row.latest_at),
    isGaugeReliable: gaugeCharacteristics(row.encoded_state).isReliable,
  }));
}
