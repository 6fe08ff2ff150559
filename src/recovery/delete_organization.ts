import { lockOrganization } from '../catalog/organizations.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Tx } from '../db/pool.ts';
import { eraseContacts } from '../mail/contacts.ts';
import { disableEndpoint } from '../webhooks/endpoints.ts';

/** The counts of what a deleted organization had. */
export type DeletedOrganization = {
  customers: number;
  tanks: number;
  keys: number;
  webhooks: number;
  contacts: number;
};

/**
 * Deletes an organization. At once, its keys are revoked, its devices refused, its webhooks disabled, and its contacts
 * deleted. The worker erases the rest in many short transactions: with a hundred thousand tanks, one would lock the
 * organization's tables for minutes.
 */
export async function deleteOrganization(tx: Tx, organizationNo: number): Promise<DeletedOrganization> {
  await lockOrganization(tx, organizationNo);
  const { rows } = await tx.query<Pick<DeletedOrganization, 'customers' | 'tanks'>>(
    `select coalesce(sum(n) filter (where list = 'organization_customers'), 0)::int as customers,
            coalesce(sum(n) filter (where list = 'organization_tanks'), 0)::int as tanks
     from catalog_month_counters where list in ('organization_customers', 'organization_tanks') and scope_no = $1`,
    [organizationNo],
  );
  const keys = await tx.query(
    'update api_keys set revoked_at = now() where organization_no = $1 and revoked_at is null',
    [organizationNo],
  );
  const { rows: endpoints } = await tx.query<{ no: number }>(
    'select no from webhook_endpoints where organization_no = $1 and disabled_at is null',
    [organizationNo],
  );
  for (const { no } of endpoints) await disableEndpoint(tx, no, 'operator');
  const contacts = await eraseContacts(tx, 'organization_no', organizationNo);
  await tx.query(
    `update organizations set deleted_at = now(), name = 'deleted organization', reply_to = null, phone = null,
       emergency_phone = null, safety_steps = null, readings_per_second = null
     where no = $1`,
    [organizationNo],
  );
  return {
    ...onlyRow(rows),
    keys: keys.rowCount ?? 0,
    webhooks: endpoints.length,
    contacts,
  };
}
