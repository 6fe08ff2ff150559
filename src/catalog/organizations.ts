import { onlyRow } from '../db/only_row.ts';
import type { Db, Tx } from '../db/pool.ts';
import { UserError } from '../values/user_error.ts';

export interface NewOrganization {
  /** Short and public. It begins with the organization's slot and is part of every device's user name. */
  code: string;
  name: string;
}

export interface OrganizationChanges {
  name?: string;
  /** The language of mails to its customers and contacts. */
  language?: 'en' | 'es';
}

export async function createOrganization(tx: Tx, organization: NewOrganization): Promise<number> {
  const known = await findOrganization(tx, organization.code);
  if (known !== undefined) throw new UserError(`the organization ${organization.code} already exists.`);
  const { rows } = await tx.query<{ no: number }>(
    'insert into organizations (code, name) values ($1, $2) returning no',
    [organization.code, organization.name],
  );
  return onlyRow(rows).no;
}

/** Changes the given fields only. */
export async function updateOrganization(tx: Tx, organizationNo: number, changes: OrganizationChanges): Promise<void> {
  const { name = null, language = null } = changes;
  if (name === null && language === null) throw new UserError('no field to change was given.');
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
 * Every change to an organization's catalog takes this lock first. The triggers of the counters take it too; taking it
 * before any row is locked prevents deadlocks between two operators.
 */
export async function lockOrganization(tx: Tx, organizationNo: number): Promise<{ code: string }> {
  const { rows } = await tx.query<{ code: string }>('select code from organizations where no = $1 for no key update', [
    organizationNo,
  ]);
  if (rows[0] === undefined) throw new UserError(`there is no organization ${organizationNo}.`);
  return rows[0];
}

/** The two characters that begin an organization's code and its keys. Proxies route by them. */
export const slotOf = (organizationCode: string): string => organizationCode.slice(0, 2);

/** All organizations, with the numbers of their customers and tanks. */
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
