import type { Pool } from 'pg';
import { createCustomers } from '../../src/catalog/customers.ts';
import { createOrganization } from '../../src/catalog/organizations.ts';
import { createTanks } from '../../src/catalog/tanks.ts';
import { transaction } from '../../src/db/pool.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { issueKey } from '../../src/keys/issue_key.ts';
import { makeKey } from '../../src/keys/key_format.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';

/** A sender of requests, and the data that it must not see. */
export interface FuzzCaller {
  kind: string;
  headers: Readonly<Record<string, string>>;
  /** Texts that no answer to this caller may contain: ids and names of others. */
  foreign: readonly string[];
}

export interface Tenants {
  callers: FuzzCaller[];
  /** The callers who may read. */
  readers: FuzzCaller[];
  /** The ids of customers and tanks of all organizations. */
  ids: string[];
}

const UNLIMITED = { requestsPerSecond: 1_000_000, burst: 1_000_000 };

/** Creates two organizations with two customers each, and every kind of caller. `owner` owns the tables. */
export async function createTenants(owner: Pool, apiUrl: string): Promise<Tenants> {
  const tenants = [await createTenant(owner, 'a0ours'), await createTenant(owner, 'a0theirs')];
  const everything = tenants.flatMap((tenant) => [...tenant.first, ...tenant.second]);
  const callers: FuzzCaller[] = [];
  for (const tenant of tenants) {
    const others = tenants.filter((other) => other !== tenant).flatMap(({ first, second }) => [...first, ...second]);
    for (const [kind, key, foreign] of [
      ['key', tenant.key, others],
      ['narrowed key', tenant.narrowed, [...others, ...tenant.second]],
    ] as const) {
      callers.push({ kind, headers: { 'x-api-key': key }, foreign });
      callers.push({ kind: `session of a ${kind}`, headers: { cookie: await signIn(apiUrl, key) }, foreign });
    }
    callers.push({ kind: 'ingest key', headers: { 'x-api-key': tenant.ingest }, foreign: everything });
  }
  const wrong = makeKey('a0').text;
  const validKey = callers[0]?.headers['x-api-key'] ?? '';
  const strangers: [string, Record<string, string>][] = [
    ['nobody', {}],
    ['unknown key', { 'x-api-key': wrong }],
    ['wrong secret', { 'x-api-key': validKey.slice(0, 12) + wrong.slice(12) }],
    ['malformed key', { 'x-api-key': '%00\\xff' }],
    ['forged session', { cookie: `__Host-tankwatch=${wrong}; __Host-tankwatch-sign-in=${'A'.repeat(43)}` }],
    ['malformed cookie', { cookie: '__Host-tankwatch=%ff%00; =; ;;__Host-tankwatch-sign-in=' }],
  ];
  for (const [kind, headers] of strangers) callers.push({ kind, headers, foreign: everything });
  return {
    callers,
    readers: callers.filter(({ kind }) => /^(narrowed )?key|session of/.test(kind)),
    ids: everything.filter((text) => /^[0-9a-f-]{36}$/.test(text)),
  };
}

interface Tenant {
  /** Ids and names of the first customer and its tanks. */
  first: string[];
  /** Ids and names of the second customer and its tanks. */
  second: string[];
  key: string;
  narrowed: string;
  ingest: string;
}

async function createTenant(owner: Pool, code: string): Promise<Tenant> {
  const no = await transaction(owner, (tx) => createOrganization(tx, { code, name: `${code} Gas` }));
  const names = [`${code}-one`, `${code}-two`];
  const customers = await transaction(owner, (tx) =>
    createCustomers(
      tx,
      no,
      names.map((name) => ({ name, email: `${name}@example.com`, external_key: name })),
    ),
  );
  const tanks = await transaction(owner, (tx) =>
    createTanks(
      tx,
      no,
      [0, 1].flatMap((customer) =>
        Array.from({ length: 12 }, (_, n) => ({
          owner_no: customers[customer]?.no ?? 0,
          assigned_device_id: `${names[customer]}-D${n}`,
          capacity: 500,
          capacity_unit: 'liters' as const,
          min_fill_alert_percentage: 20,
          name: `${names[customer]}-T${n}`,
          city: 'Celaya',
          latitude: 20 + n / 100,
          longitude: -100 - n / 100,
        })),
      ),
    ),
  );
  const startMs = Date.now() - 20 * DAY_MS;
  await new BatchIngester(owner).ingestReadings(
    tanks.flatMap(({ no: tankNo }, tank) =>
      Array.from({ length: 80 }, (_, n) => ({
        tankNo,
        atMs: startMs + n * 6 * HOUR_MS,
        fillPercentage: Math.max(3, 60 - n * (tank % 3)),
      })),
    ),
  );
  const issue = async (customerNo: number | null, scopes: ('read' | 'ingest')[] = ['read']): Promise<string> =>
    (
      await transaction(owner, (tx) =>
        issueKey(tx, { organizationNo: no, customerNo, name: code, scopes, ...UNLIMITED }),
      )
    ).text;
  const textsOf = (customer: number): string[] => [
    names[customer] ?? '',
    customers[customer]?.id ?? '',
    ...tanks.slice(customer * 12, customer * 12 + 12).map(({ id }) => id),
  ];
  return {
    first: textsOf(0),
    second: textsOf(1),
    key: await issue(null),
    narrowed: await issue(customers[0]?.no ?? 0),
    ingest: await issue(null, ['ingest']),
  };
}

async function signIn(apiUrl: string, key: string): Promise<string> {
  const response = await fetch(`${apiUrl}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: key }),
  });
  return response.headers.get('set-cookie')?.split(';')[0] ?? '';
}
