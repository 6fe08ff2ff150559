import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { createCustomers, deleteCustomer, updateCustomer } from '../../src/catalog/customers.ts';
import { createTanks, deleteTank, updateTank } from '../../src/catalog/tanks.ts';
import { type Tx, transaction } from '../../src/db/pool.ts';
import { raiseChangeEpoch } from '../../src/evaluation/record_events.ts';
import { Random } from '../../src/simulation/random.ts';
import { givenCustomer, givenKey, givenTank } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { givenManagedOrganization, type ManageApi, test } from '../support/manage.ts';
import type { TestDatabase } from '../support/test.ts';

interface Change {
  kind: 'customer' | 'tank';
  id: string;
  deleted: boolean;
  customer: { etag: string } | null;
  tank: { etag: string } | null;
}

/** A program that keeps a copy: the ETag of every live object by its id. */
class Copy {
  readonly objects = new Map<string, string>();
  readonly #url: string;
  readonly #key: string;
  after: string | null = null;
  /** A deleted object that came back, which must never happen. */
  readonly returned: string[] = [];
  readonly #deleted = new Set<string>();

  constructor({ url }: ManageApi, key: string) {
    this.#url = url;
    this.#key = key;
  }

  /** Applies one page. Returns whether there are more. */
  async read(size: number): Promise<boolean> {
    const after = this.after === null ? '' : `&after=${this.after}`;
    const { status, json } = await callApi(this.#url, `/fleet/v1/changes?size=${size}${after}`, { key: this.#key });
    expect(status).toBe(200);
    const changes: Change[] = json.data;
    for (const { id, kind, deleted, customer, tank } of changes) {
      const object = kind === 'customer' ? customer : tank;
      expect(object === null).toBe(deleted);
      if (deleted) this.#deleted.add(id);
      else if (this.#deleted.has(id)) this.returned.push(id);
      if (object === null) this.objects.delete(id);
      else this.objects.set(id, object.etag);
    }
    this.after = json.next;
    return json.has_more;
  }

  /** Applies all pages. Returns the objects. */
  async readAll(size: number): Promise<ReadonlyMap<string, string>> {
    let hasMore = true;
    while (hasMore) hasMore = await this.read(size);
    return this.objects;
  }
}

/** The ETag of every live object by its id, read with GET. */
async function readCatalog(
  { owner }: TestDatabase,
  manage: ManageApi,
  { organizationNo, key }: { organizationNo: number; key: string },
): Promise<Map<string, string>> {
  const { rows } = await owner.query<{ path: string; id: string }>(
    `select '/customers/' || id as path, id from customers where organization_no = $1 and deleted_at is null
     union all select '/tanks/' || id, id from tanks where organization_no = $1 and deleted_at is null`,
    [organizationNo],
  );
  const read = rows.map(async ({ path, id }): Promise<[string, string]> => {
    const { json } = await manage.call(key, 'GET', path);
    return [id, json.etag];
  });
  return new Map(await Promise.all(read));
}

test('a copy that follows the feed equals the catalog, with concurrent writers whose transactions end in any order', {
  timeout: 600_000,
}, async ({ database, manage }) => {
  const organization = await givenManagedOrganization(database);
  const { organizationNo, key } = organization;
  const numbers = new Random(20261116);
  const random = (): number => numbers.next();
  const customers: number[] = [];
  const tanks: { no: number; id: string }[] = [];
  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)];
  let serial = 0;
  const change = async (tx: Tx): Promise<void> => {
    const [customerNo, tank, n] = [pick(customers), pick(tanks), serial++];
    const roll = random();
    if (customerNo === undefined || roll < 0.25) {
      const values = [{ email: `${n}@example.com`, name: `Customer ${n}`, external_key: `K${n}` }];
      const [created] = await createCustomers(tx, organizationNo, values);
      if (created) customers.push(created.no);
    } else if (tank === undefined || roll < 0.5) {
      const values = { owner_no: customerNo, name: 'T', capacity: 1, capacity_unit: 'liters' as const };
      const [created] = await createTanks(tx, organizationNo, [
        { ...values, min_fill_alert_percentage: 20, assigned_device_id: `F${n}`, custom_id: `t${n}` },
      ]);
      if (created) tanks.push(created);
    } else if (roll < 0.65) await updateCustomer(tx, organizationNo, { no: customerNo }, { name: `Renamed ${n}` });
    else if (roll < 0.8) await updateTank(tx, organizationNo, tank.no, { capacity: n + 1 });
    else if (roll < 0.9) await updateTank(tx, organizationNo, tank.no, { owner_no: customerNo });
    else if (roll < 0.95) await deleteTank(tx, organizationNo, tank.no);
    else await deleteCustomer(tx, organizationNo, customerNo, { withTanks: true });
  };
  const progress = { writing: 4 };
  const writers = Array.from({ length: progress.writing }, async () => {
    for (let n = 0; n < 60; n++) {
      await transaction(database.operator, async (tx) => {
        // It gets its number now, so that transactions with later numbers commit before it.
        if (random() < 0.3) await tx.query('select pg_current_xact_id()');
        await sleep(random() * 10);
        await change(tx);
      }).catch((error: unknown) => {
        // Another writer deleted the object meanwhile.
        if (!/no such|deleted|violates|no field/.test(String(error))) throw error;
      });
    }
    progress.writing--;
  });
  const [early, late] = [new Copy(manage, key), new Copy(manage, key)];
  while (progress.writing > 0) await early.read(1 + Math.floor(random() * 7));
  await Promise.all(writers);
  const catalog = await readCatalog(database, manage, organization);
  expect(catalog.size).toBeGreaterThan(20);
  await expect.poll(() => early.readAll(50)).toEqual(catalog);
  expect(await late.readAll(1_000)).toEqual(catalog);
  expect(early.returned).toEqual([]);
});

test('the feed has a change only after the end of all older transactions', async ({ database, manage }) => {
  const { organizationNo, key } = await givenManagedOrganization(database);
  const customer = await givenCustomer(database.operator, organizationNo);
  const copy = new Copy(manage, key);
  await expect.poll(async () => (await copy.readAll(10)).size).toBe(1);
  const older = await database.owner.connect();
  await older.query('begin');
  await older.query('select pg_current_xact_id()');
  const before = copy.objects.get(customer.id);
  await transaction(database.operator, (tx) => updateCustomer(tx, organizationNo, customer, { name: 'New' }));
  await copy.read(10);
  expect(copy.objects.get(customer.id)).toBe(before);
  await older.query('commit');
  older.release();
  await expect.poll(async () => (await copy.readAll(10)).get(customer.id)).not.toBe(before);
});

test('the cursor belongs to one history and one organization, and a narrowed key gets nothing', async ({
  database,
  manage,
}) => {
  const { organizationNo, key } = await givenManagedOrganization(database);
  const customer = await givenCustomer(database.operator, organizationNo);
  await givenTank(database.operator, organizationNo, customer.no);
  const copy = new Copy(manage, key);
  await expect.poll(async () => (await copy.readAll(10)).size).toBe(2);
  const read = async (caller: string, query: string): Promise<string> =>
    (await callApi(manage.url, `/fleet/v1/changes?${query}`, { key: caller })).json.code ?? 'ok';
  const { key: stranger } = await givenManagedOrganization(database);
  expect(await read(stranger, `after=${copy.after}`)).toBe('invalid_parameters');
  const { text: narrowed } = await givenKey(database.operator, { organizationNo, customerNo: customer.no });
  expect(await read(narrowed, '')).toBe('forbidden');
  expect(await read(key, `after=${copy.after}`)).toBe('ok');
  // This is the state after pg_upgrade of a server that was promoted: the timeline begins again, and no change is lost.
  await database.owner.query('update change_epochs set used_epoch = used_epoch + 2');
  const { id } = await givenCustomer(database.operator, organizationNo);
  await expect.poll(async () => (await copy.readAll(10)).has(id)).toBe(true);
  await transaction(database.operator, (tx) => raiseChangeEpoch(tx)); // as after a restore
  expect(await read(key, `after=${copy.after}`)).toBe('gone');
  expect(await read(key, '')).toBe('ok');
});
