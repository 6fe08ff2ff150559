import { randomUUID } from 'node:crypto';
import { startApi } from '../../engines/api.ts';
import type { KeyScope } from '../../src/keys/issue_key.ts';
import { givenKey, givenOrganization } from './fleet.ts';
import { callApi, type Response } from './http.ts';
import { test as base, type TestDatabase, untilTestEnds } from './test.ts';

export const API_SECRETS_KEY = 'an-api-secrets-key-of-the-tests-0123456789';

export interface ManageCall {
  body?: unknown;
  ifMatch?: string;
  headers?: Record<string, string>;
  /** If undefined, a POST gets a new key. If null, no key is sent. */
  idempotencyKey?: string | null;
}

/** The api role with /manage/v1 on a real socket. */
export interface ManageApi {
  url: string;
  /** Sends a request with the headers that it needs. */
  call(key: string, method: string, path: string, call?: ManageCall): Promise<Response>;
}

export const manageSettings = (database: TestDatabase): Record<string, string> => ({
  MANAGE_DATABASE_URL: database.urls.manager,
  API_SECRETS_KEY,
  // A test can send from many addresses, because one that sends many wrong keys is refused.
  TRUSTED_PROXIES: '127.0.0.1',
  DEVICE_SECRET: 'a-device-secret-of-the-tests-0123456789',
  LINK_SECRET: 'a-link-secret-of-the-tests-0123456789abc',
});

export const test = base.extend<{ $file: { manage: ManageApi } }>({
  manage: [
    async ({ database }, use) => {
      const running = await startApi(database.urls.api, manageSettings(database));
      await use(manageApi(running.url));
      await running.close();
    },
    { scope: 'file' },
  ],
});

/** An api of the test's own, with more settings. It is closed when the test ends. */
export async function givenManageApi(database: TestDatabase, more: Record<string, string> = {}): Promise<ManageApi> {
  const { url } = await untilTestEnds(startApi(database.urls.api, { ...manageSettings(database), ...more }));
  return manageApi(url);
}

export const manageApi = (url: string): ManageApi => ({
  url,
  call: (key, method, path, { body, ifMatch, headers = {}, idempotencyKey } = {}) => {
    const newKey = method === 'POST' && !path.includes('/bulk') ? randomUUID() : null;
    const given = idempotencyKey === undefined ? newKey : idempotencyKey;
    if (body instanceof Uint8Array)
      return callApi(url, `/manage/v1${path}`, {
        key,
        method,
        body,
        headers: { 'content-type': 'application/octet-stream', ...headers },
      });
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    return callApi(url, `/manage/v1${path}`, {
      key,
      method,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      headers: {
        ...(body === undefined ? {} : { 'content-type': path.includes('/bulk') ? 'application/x-ndjson' : type }),
        ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
        ...(given === null ? {} : { 'idempotency-key': given }),
        ...headers,
      },
    });
  },
});

/** A new organization with a key that may change it. */
export async function givenManagedOrganization(
  { operator }: TestDatabase,
  scopes: readonly KeyScope[] = ['read', 'manage'],
): Promise<{ organizationNo: number; key: string; prefix: string }> {
  const organizationNo = await givenOrganization(operator);
  const { text: key, prefix } = await givenKey(operator, { organizationNo, scopes });
  return { organizationNo, key, prefix };
}

export const CUSTOMER = { email: 'maria@example.com', name: 'María López' };
export const TANK = { name: 'House', capacity: 1000, capacity_unit: 'liters', min_fill_alert_percentage: 20 };
