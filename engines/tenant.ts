import type { Pool } from 'pg';
import { createCustomers } from '../src/catalog/customers.ts';
import { createOrganization } from '../src/catalog/organizations.ts';
import { createTanks, type NewTank } from '../src/catalog/tanks.ts';
import type { CatalogRef } from '../src/catalog/upsert_rows.ts';
import { onlyRow } from '../src/db/only_row.ts';
import { transaction } from '../src/db/pool.ts';
import { devicePassword } from '../src/keys/device_password.ts';
import { issueKey, type NewKey } from '../src/keys/issue_key.ts';
import { organizationSecret } from '../src/keys/organization_secret.ts';
import type { DeviceLogin } from '../src/simulation/device_login.ts';

/** An organization with one customer that owns all tanks. */
export interface Tenant {
  organizationNo: number;
  customerNo: number;
  /** One for each device, in the same order. */
  tanks: CatalogRef[];
  devices: DeviceLogin[];
}

export interface TenantOptions {
  /** The code begins with the slot of the cell. */
  code?: string;
  devices: number;
  /** The secret from which the passwords of the devices are derived. */
  deviceSecret?: string;
  /** The values that differ from a plain tank of 500 liters. */
  tank?: (device: number) => Partial<NewTank>;
}

export function createTenant(
  pool: Pool,
  { code = 'a0fleet', devices, deviceSecret = '', tank = () => ({}) }: TenantOptions,
): Promise<Tenant> {
  return transaction(pool, async (tx) => {
    const organizationNo = await createOrganization(tx, { code, name: code });
    const owner = { name: 'Owner', email: `${code}@example.com` };
    const customerNo = onlyRow(await createCustomers(tx, organizationNo, [owner])).no;
    const planned = Array.from({ length: devices }, (_, n) => ({ ...plainTank(customerNo, n), ...tank(n) }));
    const created = devices === 0 ? [] : await createTanks(tx, organizationNo, planned);
    const secret = deviceSecret === '' ? '' : organizationSecret(deviceSecret, code);
    return {
      organizationNo,
      customerNo,
      tanks: created,
      devices: planned.map(({ assigned_device_id: deviceId }) => ({
        organizationCode: code,
        deviceId,
        password: secret === '' ? '' : devicePassword(secret, deviceId, 1),
      })),
    };
  });
}

export const plainTank = (owner_no: number, n: number): NewTank => ({
  owner_no,
  name: `Tank ${n}`,
  assigned_device_id: `DEV${String(n).padStart(6, '0')}`,
  capacity: 500,
  capacity_unit: 'liters',
  min_fill_alert_percentage: 20,
});

export const telemetryPath = ({ id }: CatalogRef): string => `/v1/tanks/${id}/telemetry`;

const UNLIMITED = { requestsPerSecond: 1_000_000, burst: 1_000_000 };

/** Issues keys. Unless `key` says otherwise, they may read and have no limit of requests. */
export function issueKeys(
  pool: Pool,
  count: number,
  key: Partial<NewKey> & { organizationNo: number },
): Promise<string[]> {
  return transaction(pool, async (tx) => {
    const keys: string[] = [];
    for (let n = 0; n < count; n++)
      keys.push((await issueKey(tx, { name: `key ${n}`, scopes: ['read'], ...UNLIMITED, ...key })).text);
    return keys;
  });
}

export async function issueOneKey(pool: Pool, key: Partial<NewKey> & { organizationNo: number }): Promise<string> {
  return onlyRow(await issueKeys(pool, 1, key));
}
