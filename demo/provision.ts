import type pg from 'pg';
import { createCustomers, deleteCustomer } from '../src/catalog/customers.ts';
import { createOrganization } from '../src/catalog/organizations.ts';
import { createTanks, deleteTank } from '../src/catalog/tanks.ts';
import { transaction } from '../src/db/pool.ts';
import type { TankShape } from '../src/gauges/gauge_schema.ts';
import { devicePassword } from '../src/keys/device_password.ts';
import { type IssuedKey, issueKey, type KeyScope } from '../src/keys/issue_key.ts';
import { organizationSecret } from '../src/keys/organization_secret.ts';
import { DAY_MS, HOUR_MS } from '../src/values/time.ts';
import { type PlannedCustomer, type PlannedTank, planFleet, type Region } from './fleet.ts';
import { storeHistory } from './history.ts';
import { provisionDips } from './provision_dips.ts';
import { MEXICO, VERMONT } from './regions.ts';
import { correctShapes, lyingTank, mistakeShapes, type ShapedTank } from './shaped_tanks.ts';

/** The keys and ids that a visitor needs to try the service. */
export interface Demo {
  api_key: string;
  customer_key: string;
  other_api_key: string;
  deleted_customer_id: string;
  deleted_tank_id: string;
  busy_tank_id: string;
  /** A key of the organization whose fleet is simulated while the demo runs. */
  live_api_key: string;
  /** A key of the same organization that also changes data. */
  manage_key: string;
  ingest_key: string;
  /** A device of that organization that the simulation leaves to the visitor. */
  device_id: string;
  device_tank_id: string;
  device_password: string;
}

export interface Databases {
  operator: pg.Pool;
  writer: pg.Pool;
}

/** The time before now at which the history of the live fleet ends: its devices first send the readings of these hours. */
export const LIVE_LAG_MS = 2 * HOUR_MS;
export const LIVE_ORGANIZATION = 'a0live';
const VISITOR_DEVICE = 'VISITOR-1';
const BUSY_TANK = 3;

/** Creates two organizations with readings up to now, and one with readings up to two hours ago. All are evaluated. */
export async function provisionDemo(databases: Databases, nowMs: number, deviceSecret: string): Promise<Demo> {
  const valley = await provisionOrganization(databases, nowMs, {
    code: 'a0valle',
    name: 'Gas del Valle',
    region: MEXICO,
    customers: 60,
    seed: 1,
    busyTank: BUSY_TANK,
    shapedTanks: [BUSY_TANK, 9, 14],
  });
  const green = await provisionOrganization(databases, nowMs, {
    code: 'a0green',
    name: 'Green Mountain Propane',
    region: VERMONT,
    customers: 30,
    seed: 2,
    shapedTanks: [0, 5],
  });
  const live = await provisionOrganization(databases, nowMs - LIVE_LAG_MS, {
    code: LIVE_ORGANIZATION,
    name: 'Lake Champlain Propane',
    region: VERMONT,
    customers: 30,
    seed: 3,
  });

  // The histories are stored at the same time, because each one alternates between computing and waiting for the database.
  await Promise.all([valley, green, live].map((organization) => storeHistory(databases.writer, organization)));
  await correctShapes(databases, [...valley.shaped, ...green.shaped]);
  await provisionDips(
    databases,
    valley.no,
    valley.tanks.slice(20, 23).map(({ ownerNo }) => ownerNo),
    nowMs,
  );

  const [busy, deleted] = [valley.tanks[BUSY_TANK], valley.tanks.at(-1)];
  const narrowed = valley.tanks.find((tank, index) => index > 5 && tank.habits.cadenceMs < DAY_MS);
  if (!busy || !deleted || !narrowed) throw new Error('the demo fleet is too small');

  return transaction(databases.operator, async (tx) => {
    const organizationNo = valley.no;
    const [deletedCustomer] = await createCustomers(tx, organizationNo, [
      { name: 'Ana Moved-Away', email: 'ana.moved@example.com' },
    ]);
    if (!deletedCustomer) throw new Error('no customer was created');
    await deleteCustomer(tx, organizationNo, deletedCustomer.no);
    await deleteTank(tx, organizationNo, deleted.no);
    const scopes = ['read'] as const;
    const whole = await issueKey(tx, { organizationNo, name: 'Demo: whole organization', scopes });
    const one = await issueKey(tx, {
      organizationNo,
      customerNo: narrowed.ownerNo,
      name: 'Demo: one customer',
      scopes,
    });
    const other = await issueKey(tx, { organizationNo: green.no, name: 'Demo: other organization', scopes });
    const liveKey = (name: string, ...own: KeyScope[]): Promise<IssuedKey> =>
      issueKey(tx, { organizationNo: live.no, name, scopes: own });
    const liveRead = await liveKey('Demo: live fleet', 'read');
    const liveManage = await liveKey('Demo: changes of the live fleet', 'read', 'manage');
    const liveIngest = await liveKey('Demo: readings of the live fleet', 'ingest');
    const [visitorTank] = await createTanks(tx, live.no, [
      {
        owner_no: live.tanks[0]?.ownerNo ?? 0,
        name: 'The tank of the visitor',
        assigned_device_id: VISITOR_DEVICE,
        capacity: 1_000,
        capacity_unit: 'liters',
        min_fill_alert_percentage: 20,
      },
    ]);
    return {
      live_api_key: liveRead.text,
      manage_key: liveManage.text,
      ingest_key: liveIngest.text,
      device_tank_id: visitorTank?.id ?? '',
      device_id: VISITOR_DEVICE,
      device_password: devicePassword(organizationSecret(deviceSecret, LIVE_ORGANIZATION), VISITOR_DEVICE, 1),
      api_key: whole.text,
      customer_key: one.text,
      other_api_key: other.text,
      deleted_customer_id: deletedCustomer.id,
      deleted_tank_id: deleted.id,
      busy_tank_id: busy.id,
    };
  });
}

interface PlannedOrganization {
  code: string;
  name: string;
  region: Region;
  customers: number;
  seed: number;
  /** The index of a tank that measures every ten minutes in the last 60 days. */
  busyTank?: number;
  /** The indexes of tanks whose devices measure a height. Their shapes are corrected later. */
  shapedTanks?: readonly number[];
}

export interface ProvisionedTank extends PlannedTank {
  no: number;
  id: string;
  ownerNo: number;
  seed: number;
  /** The shape of a tank whose device measures a height. */
  shape?: TankShape;
}

export interface ProvisionedOrganization {
  no: number;
  tanks: ProvisionedTank[];
  shaped: ShapedTank[];
  busyTank: number | undefined;
  /** The end of the history. */
  toMs: number;
}

/** Creates an organization without readings. */
async function provisionOrganization(
  databases: Databases,
  nowMs: number,
  planned: PlannedOrganization,
): Promise<ProvisionedOrganization> {
  const { seed, busyTank, shapedTanks = [] } = planned;
  const fleet = planFleet(seed, planned.region, planned.customers, nowMs - 500 * DAY_MS, nowMs - 200 * DAY_MS);
  const organization = await transaction(databases.operator, async (tx) => {
    const no = await createOrganization(tx, {
      code: planned.code,
      name: planned.name,
      phone: `${planned.region.phone} 555 0100`,
      timeZone: planned.region.timeZone,
    });
    const customers = await createCustomers(
      tx,
      no,
      fleet.map((plan) => plan.customer),
    );
    const owned = fleet.flatMap((plan, index) => tanksOf(plan, customers[index]?.no));
    const tanks = await createTanks(
      tx,
      no,
      owned.map((plan) => plan.tank),
    );
    const provisioned = owned.flatMap((plan, index) => {
      const created = tanks[index];
      if (!created) return [];
      const { owner_no: ownerNo, capacity, capacity_unit } = plan.tank;
      const shape = shapedTanks.includes(index) && { shape: lyingTank(capacity, capacity_unit) };
      return [{ ...plan, ...created, ownerNo, seed, ...shape }];
    });
    return { no, tanks: provisioned };
  });
  const { no: organizationNo, tanks } = organization;
  const shaped = tanks.flatMap(({ no, shape }) => (shape ? [{ organizationNo, no, shape }] : []));
  await mistakeShapes(databases, shaped);
  return { ...organization, shaped, busyTank, toMs: nowMs };
}

function tanksOf(plan: PlannedCustomer, ownerNo: number | undefined) {
  if (ownerNo === undefined) throw new Error('a planned customer was not created');
  return plan.tanks.map((planned) => ({ ...planned, tank: { ...planned.tank, owner_no: ownerNo } }));
}
