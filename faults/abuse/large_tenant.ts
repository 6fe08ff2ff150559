import type { Pool } from 'pg';
import { onlyRow } from '../../src/db/only_row.ts';
import { transaction } from '../../src/db/pool.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { issueKey } from '../../src/keys/issue_key.ts';
import { DAY_MS } from '../../src/values/time.ts';
import type { AttackedInstallation } from './installation.ts';

/** A tenant whose reads are expensive: it has many tanks, a customer with 200 of them, and readings. */
export interface LargeTenant {
  /** A key for the whole organization. */
  readKey: string;
  /** A key narrowed to a customer with one tank, as the session of a homeowner is. */
  homeownerKey: string;
  /** A customer with 200 tanks. */
  companyId: string;
  companyEmail: string;
}

const COMPANY_TANKS = 200;
const READING_DAYS = 45;
const READINGS_PER_DAY = 4;

const created = new WeakMap<AttackedInstallation, Promise<LargeTenant>>();

/** Fills the organization of the attacker, once for all attacks of a run. */
export function largeTenant(installation: AttackedInstallation, tanks: number): Promise<LargeTenant> {
  const tenant = created.get(installation) ?? createLargeTenant(installation, tanks);
  created.set(installation, tenant);
  return tenant;
}

async function createLargeTenant({ owner, attacker }: AttackedInstallation, tanks: number): Promise<LargeTenant> {
  const { organizationNo } = attacker;
  await owner.query(
    `insert into customers (id, organization_no, email, name, external_key)
     select gen_random_uuid(), $1, 'c' || n || '@example.com', 'House of ' || n, 'K' || n
     from generate_series(0, $2::int) n`,
    [organizationNo, tanks],
  );
  // Customer 0 is the company. All others have one tank each.
  await owner.query(
    `insert into tanks (id, organization_no, owner_no, assigned_device_id, capacity, capacity_unit, city, latitude,
                        longitude, min_fill_alert_percentage, name)
     select gen_random_uuid(), $1, c.no, 'L' || n, 500, 'liters', 'City ' || n % 200, 15 + 15 * random(),
            -115 + 25 * random(), 20, 'House tank ' || n
     from generate_series(1, $2::int) n
     join customers c on c.organization_no = $1 and c.external_key = 'K' || case when n <= $3 then 0 else n end`,
    [organizationNo, tanks, COMPANY_TANKS],
  );
  const company = onlyRow(
    (
      await owner.query<{ no: number; id: string; email: string }>(
        `select no, id, email from customers where organization_no = $1 and external_key = 'K0'`,
        [organizationNo],
      )
    ).rows,
  );
  await storeReadings(owner, company.no);
  await owner.query('vacuum analyze');
  const homeowner = onlyRow(
    (
      await owner.query<{ no: number }>(
        `select no from customers where organization_no = $1 and external_key = 'K' || $2::int`,
        [organizationNo, tanks],
      )
    ).rows,
  );
  const keyOf = (customerNo: number | null): Promise<string> =>
    transaction(owner, async (tx) => {
      const key = await issueKey(tx, { organizationNo, customerNo, name: 'large', scopes: ['read'] });
      return key.text;
    });
  return {
    readKey: await keyOf(null),
    homeownerKey: await keyOf(homeowner.no),
    companyId: company.id,
    companyEmail: company.email,
  };
}

async function storeReadings(owner: Pool, customerNo: number): Promise<void> {
  const { rows } = await owner.query<{ no: number }>('select no from tanks where owner_no = $1 order by no', [
    customerNo,
  ]);
  const ingester = new BatchIngester(owner);
  const nowMs = Date.now();
  for (let age = READING_DAYS * READINGS_PER_DAY; age > 0; age--) {
    const atMs = nowMs - (age * DAY_MS) / READINGS_PER_DAY;
    await ingester.ingestReadings(
      rows.map(({ no }) => ({ tankNo: no, atMs, fillPercentage: 20 + (age % 60) + (no % 10) })),
    );
  }
}
