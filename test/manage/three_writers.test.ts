import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { deleteCustomer, findCustomer, updateCustomer } from '../../src/catalog/customers.ts';
import { importFile } from '../../src/catalog/import_file.ts';
import { CUSTOMER_IMPORT } from '../../src/catalog/import_targets.ts';
import { deleteTank, updateTank } from '../../src/catalog/tanks.ts';
import { type Tx, transaction } from '../../src/db/pool.ts';
import { Random } from '../../src/simulation/random.ts';
import type { ByteSource } from '../../src/values/byte_source.ts';
import { examineAs, problems } from '../support/installation.ts';
import { givenManagedOrganization, type ManageApi, TANK, test } from '../support/manage.ts';
import type { TestDatabase } from '../support/test.ts';

/** A change, as the model makes it. The tag is the request id, or the name of the operator, in the audit log. */
interface Change {
  tag: string;
  /** Applies the change to the model and returns what the audit log must have of it. */
  apply(model: Model): string[];
}

interface Customer {
  email: string;
  name: string;
  phone: string | null;
}

/** The catalog, by external_key and by `external_key/custom_id`. */
class Model {
  readonly customers = new Map<string, Customer>();
  readonly tanks = new Map<string, { name: string; capacity: number }>();

  put(key: string, given: Partial<Customer> & Pick<Customer, 'email' | 'name'>): string[] {
    const before = this.customers.get(key);
    const after = { phone: null, ...before, ...given };
    this.customers.set(key, after);
    return before === undefined ? ['customer create '] : audited('customer', before, after);
  }

  change(key: string, given: Partial<Customer>): string[] {
    const before = this.customers.get(key);
    if (before === undefined) throw new Error(`${key} was changed, and does not exist`);
    this.customers.set(key, { ...before, ...given });
    return audited('customer', before, { ...before, ...given });
  }

  putTank(key: string, given: { name?: string; capacity?: number }): string[] {
    const before = this.tanks.get(key);
    const after = { name: TANK.name, capacity: TANK.capacity, ...before, ...given };
    this.tanks.set(key, after);
    return before === undefined ? ['tank create '] : audited('tank', before, after);
  }

  deleteTank(key: string): string[] {
    return this.tanks.delete(key) ? ['tank delete assigned_device_id custom_id deleted_at name'] : [];
  }

  deleteCustomer(key: string): string[] {
    const customer = this.customers.get(key);
    if (!this.customers.delete(key)) return [];
    const tanks = [...this.tanks.keys()]
      .filter((tank) => tank.startsWith(`${key}/`))
      .flatMap((tank) => this.deleteTank(tank));
    const phone = customer?.phone === null ? '' : ' phone';
    return [...tanks, `customer delete deleted_at email external_key name${phone}`];
  }
}

function audited(object: string, before: object, after: object): string[] {
  const fields = Object.keys(after).filter((name) => Reflect.get(before, name) !== Reflect.get(after, name));
  return fields.length === 0 ? [] : [`${object} update ${fields.toSorted().join(' ')}`];
}

const KEYS = Array.from({ length: 8 }, (_, n) => `K${n}`);

/** Makes a random change in one of the three ways, and returns it if it reported success. */
type Writer = (random: Random, tag: string) => Promise<Change | undefined>;

const randomCustomer = (random: Random) => ({
  email: `${random.whole(1, 3)}@example.com`,
  name: `Name ${random.whole(1, 5)}`,
  ...(random.next() < 0.5 ? { phone: `${random.whole(1, 3)}` } : {}),
});
const pick = <T>(random: Random, items: readonly T[]): T => {
  const item = items[random.whole(0, items.length - 1)];
  if (item === undefined) throw new Error('there is nothing to pick from');
  return item;
};

function httpWriter(manage: ManageApi, key: string): Writer {
  return async (random, tag) => {
    const externalKey = pick(random, KEYS);
    const headers = { 'x-request-id': tag };
    const path = `/customers/external_key/${externalKey}`;
    const roll = random.next();
    const done = (status: number, change: Change['apply']): Change | undefined => {
      // 503: an import has held the lock for more than two seconds.
      expect([200, 201, 204, 404, 409, 412, 503]).toContain(status);
      return status < 300 ? { tag, apply: change } : undefined;
    };
    if (roll < 0.3) {
      const body = randomCustomer(random);
      const { status } = await manage.call(key, 'PUT', path, { body, headers });
      return done(status, (model) => model.put(externalKey, { phone: null, ...body }));
    }
    if (roll < 0.45) {
      const lines = KEYS.slice(0, random.whole(2, 8)).map((line) => ({
        external_key: line,
        ...randomCustomer(random),
      }));
      const body = lines.map((line) => JSON.stringify(line)).join('\n');
      const { status } = await manage.call(key, 'POST', '/customers/bulk', { body, headers });
      return done(status, (model) =>
        lines.flatMap(({ external_key: lineKey, ...customer }) => model.put(lineKey, { phone: null, ...customer })),
      );
    }
    const { status: found, json: read } = await manage.call(key, 'GET', path);
    if (found !== 200) return undefined;
    if (roll < 0.65) {
      const name = `Name ${random.whole(1, 5)}`;
      const call = { body: { name }, ifMatch: read.etag, headers };
      const { status, json } = await manage.call(key, 'PATCH', `/customers/${read.id}`, call);
      // With If-Match, the change was made to what was read and to nothing else.
      if (status === 200) expect(json).toMatchObject({ email: read.email, phone: read.phone });
      return done(status, (model) => model.change(externalKey, { name }));
    }
    const customId = `t${random.whole(1, 2)}`;
    const tankPath = `/customers/${read.id}/tanks/custom_id/${customId}`;
    if (roll < 0.85) {
      const body = { ...TANK, capacity: random.whole(1, 4) * 100 };
      const { status } = await manage.call(key, 'PUT', tankPath, { body, headers });
      return done(status, (model) =>
        model.putTank(`${externalKey}/${customId}`, { name: TANK.name, capacity: body.capacity }),
      );
    }
    if (roll < 0.93) {
      const { json: tank, status: tankFound } = await manage.call(key, 'GET', tankPath);
      if (tankFound !== 200) return undefined;
      const { status } = await manage.call(key, 'DELETE', `/tanks/${tank.id}`, { ifMatch: tank.etag, headers });
      return done(status, (model) => model.deleteTank(`${externalKey}/${customId}`));
    }
    const call = { ifMatch: '*', headers };
    const { status } = await manage.call(key, 'DELETE', `/customers/${read.id}?with_tanks=true`, call);
    return done(status, (model) => model.deleteCustomer(externalKey));
  };
}

const asOperator = <T>({ operator }: TestDatabase, tag: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
  transaction(operator, async (tx) => {
    await tx.query(`select set_config('tankwatch.actor', $1, true)`, [tag]);
    return work(tx);
  });

/** Makes changes with the same steps as the commands. */
function commandWriter(database: TestDatabase, organizationNo: number): Writer {
  return (random, tag) =>
    asOperator(database, tag, async (tx): Promise<Change | undefined> => {
      const key = pick(random, KEYS);
      const roll = random.next();
      await tx.query('select lock_organization($1)', [organizationNo]);
      const customer = await findCustomer(tx, organizationNo, key).catch(() => undefined);
      if (customer === undefined) return undefined;
      if (roll < 0.5) {
        const name = `Name ${random.whole(1, 5)}`;
        await updateCustomer(tx, organizationNo, customer, { name });
        return { tag, apply: (model) => model.change(key, { name }) };
      }
      if (roll < 0.6) {
        await deleteCustomer(tx, organizationNo, customer.no, { withTanks: true });
        return { tag, apply: (model) => model.deleteCustomer(key) };
      }
      const customId = `t${random.whole(1, 2)}`;
      const { rows } = await tx.query<{ no: number }>('select no from tanks where owner_no = $1 and custom_id = $2', [
        customer.no,
        customId,
      ]);
      const [tank] = rows;
      if (tank === undefined) return undefined;
      if (roll < 0.7) {
        await deleteTank(tx, organizationNo, tank.no);
        return { tag, apply: (model) => model.deleteTank(`${key}/${customId}`) };
      }
      const capacity = random.whole(1, 4) * 100;
      await updateTank(tx, organizationNo, tank.no, { capacity });
      return { tag, apply: (model) => model.putTank(`${key}/${customId}`, { capacity }) };
    });
}

function importWriter(database: TestDatabase, organizationNo: number): Writer {
  return async (random, tag) => {
    const rows = KEYS.filter(() => random.next() < 0.4).map((key) => ({ key, ...randomCustomer(random) }));
    if (rows.length === 0) return undefined;
    const text = ['external_key,email,name', ...rows.map(({ key, email, name }) => `${key},${email},${name}`)].join(
      '\n',
    );
    const source: ByteSource = {
      name: 'a pipe',
      isRepeatable: false,
      async *chunks() {
        yield Buffer.from(text);
      },
    };
    await importFile(database.operator, source, CUSTOMER_IMPORT, {
      organizationNo,
      columns: {},
      change: (work) => asOperator(database, tag, work),
      onBadRow: ({ errors }) => expect(errors).toEqual([]),
      onProgress: () => {},
    });
    return { tag, apply: (model) => rows.flatMap(({ key, email, name }) => model.put(key, { email, name })) };
  };
}

test('after concurrent random changes over HTTP, by commands and by imports, catalog, counters and audit equal a model', {
  timeout: 600_000,
}, async ({ database, manage }) => {
  const { organizationNo, key } = await givenManagedOrganization(database);
  const writers: [Writer, number][] = [
    [httpWriter(manage, key), 100],
    [commandWriter(database, organizationNo), 80],
    [importWriter(database, organizationNo), 40],
  ];
  const changes = new Map<string, Change>();
  await Promise.all(
    writers.map(async ([write, count], index) => {
      const random = new Random(7_000 + index);
      for (let n = 0; n < count; n++) {
        const change = await write(random, `w${index}-${n}`);
        if (change !== undefined) changes.set(change.tag, change);
      }
    }),
  );

  // Every change holds the lock of the organization, so the audit log is in the order in which they were made.
  const { rows } = await database.owner.query<{ tag: string; entry: string; objects: number }>(
    `select coalesce(request_id, actor) as tag, object || ' ' || action || ' ' || array_to_string(fields, ' ') as entry,
            cardinality(object_nos) as objects
     from audit_log where organization_no = $1 and object in ('customer', 'tank') order by no`,
    [organizationNo],
  );
  const model = new Model();
  const made = new Map<string, string[]>();
  for (const { tag, entry, objects } of rows)
    made.set(tag, [...(made.get(tag) ?? []), ...Array.from({ length: objects }, () => entry)]);
  for (const [tag, entries] of made) {
    const change = changes.get(tag);
    expect([tag, change === undefined]).toEqual([tag, false]); // nothing that failed has left a trace
    expect([tag, change?.apply(model).toSorted()]).toEqual([tag, entries.toSorted()]);
  }
  expect(made.size).toBeGreaterThan(100);

  const { rows: customers } = await database.owner.query<{ key: string } & Customer>(
    'select external_key as key, email, name, phone from customers where organization_no = $1 and deleted_at is null',
    [organizationNo],
  );
  expect(new Map(customers.map(({ key: customerKey, ...customer }) => [customerKey, customer]))).toEqual(
    model.customers,
  );
  const { rows: tanks } = await database.owner.query<{ key: string; name: string; capacity: number }>(
    `select c.external_key || '/' || t.custom_id as key, t.name, t.capacity
     from tanks t join customers c on c.no = t.owner_no where t.organization_no = $1 and t.deleted_at is null`,
    [organizationNo],
  );
  expect(new Map(tanks.map(({ key: tankKey, ...tank }) => [tankKey, tank]))).toEqual(model.tanks);
  const checks = /^(catalog counters|device assignments|fleet reads|search texts|triggers|privileges):/;
  expect(problems(await examineAs(database.urls.operator)).filter((problem) => checks.test(problem))).toEqual([]);
});

test('six callers that add one to the same number with If-Match lose no addition', async ({ database, manage }) => {
  const { key } = await givenManagedOrganization(database);
  const { json: owner } = await manage.call(key, 'POST', '/customers', { body: { email: 'a@example.com', name: 'A' } });
  const { json: tank } = await manage.call(key, 'POST', '/tanks', {
    body: { ...TANK, owner_id: owner.id, capacity: 1 },
  });
  let added = 0;
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      let left = 5;
      while (left > 0) {
        const { json: read } = await manage.call(key, 'GET', `/tanks/${tank.id}`);
        const call = { body: { capacity: read.capacity + 1 }, ifMatch: read.etag, idempotencyKey: randomUUID() };
        const { status } = await manage.call(key, 'PATCH', `/tanks/${tank.id}`, call);
        expect([200, 412]).toContain(status);
        if (status === 200) {
          left--;
          added++;
        }
      }
    }),
  );
  const { json: after } = await manage.call(key, 'GET', `/tanks/${tank.id}`);
  expect([added, after.capacity]).toEqual([30, 31]);
});
