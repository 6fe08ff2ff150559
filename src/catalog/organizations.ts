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
  /** Its quota at a gateway. Null: the default of the gateway. */
  readingsPerSecond?: number | null;
}

export async function createOrganization(tx: Tx, organization: NewOrganization): Promise<number> {
  const known = await findOrganization(tx, organization.code);
  if (known !== undefined) throw new UserError(`the organization ${organization.code} already exists.`);
  if ((await findAnyOrganization(tx, organization.code)) !== undefined)
    throw new UserError(`the code ${organization.code} belonged to an organization that was deleted; choose another.`);
  const { rows } = await tx.query<{ no: number }>(
    'insert into organizations (code, name) values ($1, $2) returning no',
    [organization.code, organization.name],
  );
  return onlyRow(rows).no;
}

/** Changes the given fields only. */
export async function updateOrganization(tx: Tx, organizationNo: number, changes: OrganizationChanges): Promise<void> {
  const { name = null, language = null, readingsPerSecond } = changes;
  if (name === null && language === null && readingsPerSecond === undefined) {
    throw new UserError('no field to change was given.');
  }
  await lockOrganization(tx, organizationNo);
  await tx.query(
    `update organizations set name = coalesce($2, name), language = coalesce($3, language),
       readings_per_second = case when $4 then $5::int else readings_per_second end
     where no = $1`,
    [organizationNo, name, language, readingsPerSecond !== undefined, readingsPerSecond ?? null],
  );
}

/** Finds an organization that may be deleted. */
export async function findAnyOrganization(db: Db, code: string): Promise<number | undefined> {
  const { rows } = await db.query<{ no: number }>('select no from organizations where code = $1', [code]);
  return rows[0]?.no;
}

export async function findOrganization(db: Db, code: string): Promise<number | undefined> {
  const { rows } = await db.query<{ no: number }>(
    'select no from organizations where code = $1 and deleted_at is null',
    [code],
  );
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

export type ListedOrganization = {
  code: string;
  name: string;
  language: string;
  /** Null: the default of the gateway. */
  readings_per_second: number | null;
  customers: number;
  tanks: number;
  created_at: string;
};

/** All organizations, with the numbers of their customers and tanks. */
export async function listOrganizations(db: Db): Promise<ListedOrganization[]> {
  const { rows } = await db.query<ListedOrganization>(
    `select code, name, language, readings_per_second, coalesce(customers, 0) as customers, coalesce(tanks, 0) as tanks, created_at
     from organizations o
     left join lateral (
       select sum(n) filter (where list = 'organization_customers') as customers,
              sum(n) filter (where list = 'organization_tanks') as tanks
       from catalog_month_counters where list in ('organization_customers', 'organization_tanks') and scope_no = o.no
     ) as counted on true
     where deleted_at is null
     order by code`,
  );
  return rows;
}

/** Organizations that were deleted, the last one first. Their names are erased. */
export async function listDeletedOrganizations(db: Db): Promise<Record<string, unknown>[]> {
  const { rows } = await db.query<Record<string, unknown>>(
    `select code, deleted_at, erased_at, case when erased_at is null then 'being erased' else 'erased' end as state
     from organizations where deleted_at is not null order by deleted_at desc, no desc`,
  );
  return rows;
}
