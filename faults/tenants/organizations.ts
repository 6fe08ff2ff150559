import type { Pool } from 'pg';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { onlyRow } from '../../src/db/only_row.ts';
import { transaction } from '../../src/db/pool.ts';
import { recordEvents } from '../../src/evaluation/record_events.ts';
import { makeKey } from '../../src/keys/key_format.ts';
import { addContact } from '../../src/mail/contacts.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import type { AttackedInstallation } from '../abuse/installation.ts';
import { type LargeTenant, largeTenant } from '../abuse/large_tenant.ts';

const TANKS_PER_ORGANIZATION = 5;
const SESSIONS = 50;
/** The numbers of tanks and of days with refills of the customer whose notes name no tank. */
const NOTED = { tanks: 12, days: 40 };

/** Organizations per statement. It is limited because triggers read all rows of a statement for each of its organizations. */
const ORGANIZATIONS_AT_ONCE = 200;

/** Creates the organizations beside the attacker and the honest one, with a customer and five tanks each. */
export async function createOrganizations(owner: Pool, count: number): Promise<void> {
  for (let first = 1; first <= count; first += ORGANIZATIONS_AT_ONCE)
    await owner.query(
      `with new_organizations as (
         insert into organizations (code, name)
         select 'a0other' || n, 'Other ' || n from generate_series($1::int, $2::int) n
         returning no, code, name
       ), new_customers as (
         insert into customers (id, organization_no, email, name)
         select gen_random_uuid(), no, code || '@example.com', name from new_organizations
         returning no, organization_no
       )
       insert into tanks (id, organization_no, owner_no, assigned_device_id, capacity, capacity_unit, min_fill_alert_percentage, name)
       select gen_random_uuid(), organization_no, no, 'O' || n, 500, 'liters', 20, 'Tank ' || n
       from new_customers, generate_series(1, $3::int) n`,
      [first, Math.min(first + ORGANIZATIONS_AT_ONCE - 1, count), TANKS_PER_ORGANIZATION],
    );
}

/** What the attacker has: many tanks, the sessions of 50 dispatchers, a truck, and a customer with refills. */
export interface Attacker extends LargeTenant {
  manageKey: string;
  /** The cookies of the sessions. */
  cookies: readonly string[];
  truckId: string;
  /** The ids of tanks in the cities that are proposed. */
  tankIds: readonly string[];
  /** The lines of a bulk: 480 notes of a customer without a tank, as large as its refills. */
  notes: readonly object[];
}

export async function createAttacker(installation: AttackedInstallation, tanks: number): Promise<Attacker> {
  const { owner, attacker } = installation;
  const { organizationNo, manageKey } = attacker;
  const large = await largeTenant(installation, tanks);
  const { rows } = await owner.query<{ id: string }>(
    'select id from tanks where organization_no = $1 and city is not null order by no desc limit 4000',
    [organizationNo],
  );
  return {
    ...large,
    manageKey,
    cookies: await createSessions(owner, organizationNo),
    truckId: await createTruck(owner, organizationNo),
    tankIds: rows.map(({ id }) => id),
    notes: await createRefills(owner, organizationNo),
  };
}

async function createSessions(owner: Pool, organizationNo: number): Promise<string[]> {
  return transaction(owner, async (tx) => {
    const cookies: string[] = [];
    for (let n = 0; n < SESSIONS; n++) {
      const contact = { email: `viewer${n}@example.com`, types: [], roles: ['dispatcher'] as const };
      const { id } = await addContact(operatorChange(tx, organizationNo), contact);
      const { text, prefix, secretSha256 } = makeKey('a0');
      // The session is the same as after signing in by mail.
      await tx.query(
        `insert into sessions (prefix, secret_sha256, contact_no, organization_no, requests_per_second, burst, expires_at)
         select $1, $2, no, organization_no, 50, 500, now() + interval '1 day' from contacts where id = $3`,
        [prefix, secretSha256, id],
      );
      cookies.push(`__Host-tankwatch=${text}`);
    }
    return cookies;
  });
}

async function createTruck(owner: Pool, organizationNo: number): Promise<string> {
  const { rows } = await owner.query<{ id: string }>(
    `with depot as (
       insert into depots (id, organization_no, name, latitude, longitude) values (gen_random_uuid(), $1, 'Depot', 22, -102)
       returning no
     )
     insert into trucks (id, organization_no, name, depot_no, capacity, capacity_unit)
     select gen_random_uuid(), $1, 'Truck', no, 5000, 'liters' from depot returning id`,
    [organizationNo],
  );
  return onlyRow(rows).id;
}

/** Records refills of twelve tanks of a customer on forty days. Returns a note for each refill, without its tank. */
async function createRefills(owner: Pool, organizationNo: number): Promise<object[]> {
  const { rows: tanks } = await owner.query<{ no: number }>(
    `with customer as (
       insert into customers (id, organization_no, email, name, external_key)
       values (gen_random_uuid(), $1, 'notes@example.com', 'Notes', 'NOTES') returning no
     )
     insert into tanks (id, organization_no, owner_no, assigned_device_id, capacity, capacity_unit, min_fill_alert_percentage, name)
     select gen_random_uuid(), $1, no, 'N' || n, 1000, 'liters', 20, 'Noted ' || n from customer, generate_series(1, $2::int) n
     returning tanks.no`,
    [organizationNo, NOTED.tanks],
  );
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const deliveries = Array.from({ length: NOTED.days }, (_, day) =>
    tanks.map(({ no }, tank) => ({
      tankNo: no,
      atMs: today - (day + 1) * 2 * DAY_MS + 12 * HOUR_MS,
      liters: 500 + tank,
    })),
  ).flat();
  await transaction(owner, (tx) =>
    recordEvents(
      tx,
      deliveries.map(({ tankNo, atMs, liters }) => {
        const [from, to] = [new Date(atMs - HOUR_MS).toISOString(), new Date(atMs + HOUR_MS).toISOString()];
        return {
          organizationNo,
          tankNo,
          type: 'tank.refilled',
          occurredAt: to,
          data: { before_percentage: 20, after_percentage: 70, delivered_volume: liters, volume_unit: 'liters' },
          readings: [
            { created_at: from, fill_percentage: 20 },
            { created_at: to, fill_percentage: 70 },
          ],
          notify: false,
        };
      }),
    ),
  );
  return deliveries.map(({ atMs, liters }, n) => ({
    number: String(n),
    at: new Date(atMs).toISOString().slice(0, 10),
    volume: liters,
    unit: 'liters',
    customer: 'NOTES',
  }));
}
