import { onlyRow } from '../db/only_row.ts';
import type { Db, Tx } from '../db/pool.ts';
import { UserError } from '../values/user_error.ts';

export interface NewOrganization {
  /** Short and public, beginning with the installation's cell: part of every device's user name. */
  code: string;
  name: string;
}

export interface OrganizationChanges {
  name?: string;
  /** In which its customers and contacts are written to. */
  language?: 'en' | 'es';
}

export async function createOrganization(tx: Tx, organization: NewOrganization): Promise<number> {
  const known = await findOrganization(tx, organization.code);
  if (known !== undefined) throw new UserError(`there is an organization ${organization.code} already.`);
  const { rows } = await tx.query<{ no: number }>(
    'insert into organizations (code, name) values ($1, $2) returning no',
    [organization.code, organization.name],
  );
  return onlyRow(rows).no;
}

/** Changes what is given and nothing else. */
export async function updateOrganization(tx: Tx, organizationNo: number, changes: OrganizationChanges): Promise<void> {
  const { name = null, language = null } = changes;
  if (name === null && language === null) throw new UserError('nothing to change was given.');
  await lockOrganization(tx, organizationNo);
  await tx.query(
    'update organizations set name = coalesce($2, name), language = coalesce($3, language) where no = $1',
    [organizationNo, name, language],
  );
}

export async function findOrganization(db: Db, code: string): Promise<number | undefined> {
  const { rows } = await db.query<{ no: number }>('select no from organizations where code = $1', [code]);
  return rows[0]?.no;
}

/**
 * Every change to an organization's catalog begins here. The counters' triggers take the same lock; taking it before
 * any row keeps two operators from waiting for each other in a circle.
 */
export async function lockOrganization(tx: Tx, organizationNo: number): Promise<void> {
  const { rowCount } = await tx.query('select from organizations where no = $1 for no key update', [organizationNo]);
  if (!rowCount) throw new UserError(`there is no organization ${organizationNo}.`);
}

/** All of them, with what each one holds. */
export async function listOrganizations(
  db: Db,
): Promise<{ code: string; name: string; language: string; customers: number; tanks: number; created_at: string }[]> {
  const { rows } = await db.query(
    `select code, name, language, coalesce(customers, 0) as customers, coalesce(tanks, 0) as tanks, created_at
     from organizations o
     left join lateral (
       select sum(n) filter (where list = 'organization_customers') as customers,
              sum(n) filter (where list = 'organization_tanks') as tanks
       from catalog_month_counters where list in ('organization_customers', 'organization_tanks') and scope_no = o.no
     ) as counted on true
     order by code`,
  );
  return rows;
}
