import { deleteCustomer } from '../catalog/customers.ts';
import { findOrganization } from '../catalog/organizations.ts';
import { deleteTank } from '../catalog/tanks.ts';
import type { Tx } from '../db/pool.ts';
import { eraseDriver } from '../deliveries/truck_changes.ts';
import { eraseContacts } from '../mail/contacts.ts';
import { disableEndpoint } from '../webhooks/endpoints.ts';
import { deleteOrganization } from './delete_organization.ts';
import { REMOVAL_KINDS, type Removal } from './removal.ts';

export interface ReapplyResult {
  /** Objects that were deleted or revoked again. */
  applied: number;
  /** Objects that are deleted or revoked already, valid again since, or not in this backup. */
  unchanged: number;
  /** Customers that own tanks in this backup, because the tanks had another owner when the customer was deleted. */
  ownersOfTanks: string[];
}

/** Deletes and revokes again what was deleted and revoked after the backup was made. It is idempotent. */
export async function reapplyRemovals(tx: Tx, removals: Iterable<Removal>): Promise<ReapplyResult> {
  const latest = latestOfEach(removals);
  const result: ReapplyResult = { applied: 0, unchanged: 0, ownersOfTanks: [] };
  for (const kind of REMOVAL_KINDS) {
    for (const removal of latest.filter((candidate) => candidate.kind === kind)) {
      const outcome = await APPLY[kind](tx, removal);
      if (outcome === 'applied') result.applied++;
      else if (outcome === 'unchanged') result.unchanged++;
      else result.ownersOfTanks.push(removal.object);
    }
  }
  return result;
}

/** Keeps the latest removal of each object: a device may be revoked and allowed again, and only its last state counts. */
function latestOfEach(removals: Iterable<Removal>): Removal[] {
  const latest = new Map<string, Removal>();
  for (const removal of removals) {
    const key = `${removal.kind} ${removal.organization} ${removal.object}`;
    const known = latest.get(key);
    if (known === undefined || Date.parse(known.at) <= Date.parse(removal.at)) latest.set(key, removal);
  }
  return [...latest.values()];
}

type Outcome = 'applied' | 'unchanged' | 'owns tanks';

const outcomeOf = (rowCount: number | null): Outcome => (rowCount ? 'applied' : 'unchanged');

const APPLY: Readonly<Record<Removal['kind'], (tx: Tx, removal: Removal) => Promise<Outcome>>> = {
  async key(tx, { object, ended_at }) {
    if (ended_at === null) return 'unchanged';
    const { rowCount } =
      Date.parse(ended_at) <= Date.now()
        ? await tx.query('update api_keys set revoked_at = $2 where prefix = $1 and revoked_at is null', [
            object,
            ended_at,
          ])
        : await tx.query(
            `update api_keys set expires_at = $2
             where prefix = $1 and revoked_at is null and (expires_at is null or expires_at > $2)`,
            [object, ended_at],
          );
    return outcomeOf(rowCount);
  },

  /** A rotated device must not be able to log in with its previous password. */
  async device(tx, { organization, object, ended_at, generation }) {
    const state = [organization, object, generation ?? 1, ended_at];
    const { rowCount: updated } = await tx.query(
      `update device_credentials c set generation = $3, revoked_at = $4
       from organizations o
       where o.code = $1 and c.organization_no = o.no and c.device_id = $2 and c.generation <= $3
         and (c.generation, c.revoked_at) is distinct from ($3, $4::timestamptz(3))`,
      state,
    );
    if (updated) return 'applied';
    const { rowCount: inserted } = await tx.query(
      `insert into device_credentials (organization_no, device_id, generation, revoked_at)
       select o.no, $2, $3, $4 from organizations o
       where o.code = $1
         and not exists (select from device_credentials c where c.organization_no = o.no and c.device_id = $2)`,
      state,
    );
    return outcomeOf(inserted);
  },

  async webhook(tx, { object, ended_at }) {
    const { rows } = await tx.query<{ no: number }>(
      'select no from webhook_endpoints where id = $1 and disabled_at is null',
      [object],
    );
    const [endpoint] = rows;
    if (ended_at === null || endpoint === undefined) return 'unchanged';
    await disableEndpoint(tx, endpoint.no, 'operator');
    return 'applied';
  },

  async contact(tx, { object, ended_at }) {
    if (ended_at === null) return 'unchanged';
    return outcomeOf(await eraseContacts(tx, 'id', object, ended_at));
  },

  async console(tx, { object, ended_at }) {
    if (ended_at === null) return 'unchanged';
    const { rowCount } = await tx.query('update contacts set has_console = false where id = $1 and has_console', [
      object,
    ]);
    return outcomeOf(rowCount);
  },

  async driver(tx, { object, ended_at }) {
    if (ended_at === null) return 'unchanged';
    const { rows } = await tx.query<{ no: number; organization_no: number }>(
      'select no, organization_no from drivers where id = $1 and deleted_at is null',
      [object],
    );
    const [driver] = rows;
    if (driver === undefined) return 'unchanged';
    await eraseDriver(tx, driver.organization_no, driver, ended_at);
    return 'applied';
  },

  /** No end time means that the customer has turned reminders on again. */
  async unsubscribe(tx, { object, ended_at }) {
    if (ended_at === null) return 'unchanged';
    const { rows } = await tx.query(
      `select unsubscribe_customer_of_link(c.id) from customers c
       where c.id = $1 and c.deleted_at is null
         and not exists (select from reminder_unsubscribes u where u.customer_no = c.no)`,
      [object],
    );
    return outcomeOf(rows.length);
  },

  async tank(tx, { object, ended_at }) {
    const { rows } = await tx.query<{ no: number; organization_no: number }>(
      'select no, organization_no from tanks where id = $1 and deleted_at is null',
      [object],
    );
    const [tank] = rows;
    if (ended_at === null || tank === undefined) return 'unchanged';
    await deleteTank(tx, tank.organization_no, tank.no);
    return 'applied';
  },

  async customer(tx, { object, ended_at }) {
    const { rows } = await tx.query<{ no: number; organization_no: number; owns_tanks: boolean }>(
      `select no, organization_no,
              exists (select from tanks t where t.owner_no = c.no and t.deleted_at is null) as owns_tanks
       from customers c where id = $1 and deleted_at is null`,
      [object],
    );
    const [customer] = rows;
    if (ended_at === null || customer === undefined) return 'unchanged';
    if (customer.owns_tanks) return 'owns tanks';
    await deleteCustomer(tx, customer.organization_no, customer.no);
    return 'applied';
  },

  async organization(tx, { object }) {
    const no = await findOrganization(tx, object);
    if (no === undefined) return 'unchanged';
    await deleteOrganization(tx, no);
    return 'applied';
  },
};
