import type { Tx } from '../db/pool.ts';
import { isObject } from '../values/json.ts';
import { isUuid, uuid7 } from '../values/uuid7.ts';
import { CUSTOMER_FIELDS } from './customer_fields.ts';
import { upsertCustomers } from './customers.ts';
import { normalText } from './field.ts';
import { LEVEL_COLUMNS, storeLevels } from './tank_levels.ts';
import { upsertTanks } from './tanks.ts';
import type { UpsertBatch, UpsertCounts } from './upsert_rows.ts';

/** The columns of a file of tanks that describe the customers of the tanks. */
export const OWNER_COLUMNS = {
  customer_name: CUSTOMER_FIELDS.name,
  customer_email: CUSTOMER_FIELDS.email,
  customer_phone: CUSTOMER_FIELDS.phone,
  customer_other_phones: CUSTOMER_FIELDS.other_phones,
};

const isCustomerColumn = (column: string): boolean => Object.hasOwn(OWNER_COLUMNS, column);

/**
 * Creates or updates tanks by owner and custom_id. If the file has names of customers, it first creates or updates the
 * customers. At the end it stores the levels.
 */
export async function upsertTankRows(tx: Tx, organizationNo: number, batch: UpsertBatch): Promise<UpsertCounts> {
  const given = batch.given.filter((column) => !Object.hasOwn(LEVEL_COLUMNS, column));
  const { rowTexts, ...counts } = await upsertWithCustomers(tx, organizationNo, { ...batch, given });
  const leveled = rowTexts.filter((text) => text.includes('"fill_percentage":'));
  if (leveled.length === 0) return counts;
  return { ...counts, levels: await storeLevels(tx, organizationNo, { ...batch, rowTexts: leveled }) };
}

/** Creates or updates customers and tanks. Returns the rows with the internal numbers of their customers. */
async function upsertWithCustomers(
  tx: Tx,
  organizationNo: number,
  batch: UpsertBatch,
): Promise<UpsertCounts & Pick<UpsertBatch, 'rowTexts'>> {
  const ofCustomers = batch.given.filter(isCustomerColumn);
  const given = batch.given.filter((column) => !isCustomerColumn(column));
  if (!batch.rowTexts.some((text) => text.includes('"customer_name":')))
    return { ...(await upsertTanks(tx, organizationNo, { ...batch, given })), rowTexts: batch.rowTexts };

  const rows = batch.rowTexts.map((text): Record<string, unknown> & { owner: string } => {
    const row: unknown = JSON.parse(text);
    if (!isObject(row) || typeof row['owner'] !== 'string') throw new TypeError('a row of an import has no owner');
    return { ...row, owner: normalText(row['owner']) };
  });
  // The first row of each customer by external key. A row that names its customer by id does not change the customer.
  const firstOf = new Map<string, number>();
  for (const [at, { owner }] of rows.entries()) if (!isUuid(owner) && !firstOf.has(owner)) firstOf.set(owner, at);
  const rowsOf = Map.groupBy(rows, ({ owner }) => owner);
  // A column that no row of a customer fills does not change, because a row of another batch may fill it.
  const customers = [...firstOf].map(([owner, at]) => ({ owner, at, ...customerOf(owner, rowsOf.get(owner) ?? []) }));
  const groups = Map.groupBy(customers, ({ filled }) => ofCustomers.filter((column) => filled.has(column)).join());
  const changedCustomers: number[] = [];
  const newCustomers: string[] = [];
  for (const [columns, group] of groups) {
    const filled = columns === '' ? [] : columns.split(',').map((column) => column.replace('customer_', ''));
    const rowTexts = group.map(({ text }) => text);
    const { changed } = await upsertCustomers(tx, organizationNo, {
      ...batch,
      rowTexts,
      given: ['external_key', ...filled],
    });
    for (const at of changed.created) newCustomers.push(group[at]?.owner ?? '');
    for (const at of [...changed.created, ...changed.updated]) changedCustomers.push(group[at]?.at ?? -1);
  }
  const { rows: owners } = await tx.query<{ no: number; key: string }>(
    'select no, external_key as key from customers where organization_no = $1 and external_key = any ($2)',
    [organizationNo, [...firstOf.keys()]],
  );
  const ownerNos = new Map(owners.map(({ no, key }) => [key, no]));
  const rowTexts = rows.map((row) => JSON.stringify({ ...row, owner_no: ownerNos.get(row.owner) ?? row['owner_no'] }));
  const tanks = await upsertTanks(tx, organizationNo, { ...batch, rowTexts, given });

  // A row counts once: as created if its tank is new, as updated if its tank or its customer changed.
  const created = new Set(tanks.changed.created);
  const updated = new Set([...tanks.changed.updated, ...changedCustomers].filter((at) => !created.has(at)));
  const unchanged = rows.length - created.size - updated.size;
  return { created: created.size, updated: updated.size, unchanged, newCustomers, rowTexts };
}

/** A customer as its rows describe it, and the columns that the rows fill. The rows do not contradict each other. */
function customerOf(owner: string, rows: readonly Record<string, unknown>[]): { text: string; filled: Set<string> } {
  const values = Object.keys(OWNER_COLUMNS).flatMap((column) => {
    const value = rows.find((row) => typeof row[column] === 'string')?.[column];
    return value === undefined ? [] : [[column, value] as const];
  });
  const fields = Object.fromEntries(values.map(([column, value]) => [column.replace('customer_', ''), value]));
  return {
    text: JSON.stringify({ id: uuid7(), external_key: owner, ...fields }),
    filled: new Set(values.map(([column]) => column)),
  };
}
