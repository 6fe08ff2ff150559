import { onlyRow } from '../db/only_row.ts';
import type { Db, Tx } from '../db/pool.ts';
import { UserError } from '../values/user_error.ts';

/** How mails to the customers and contacts of an organization are written. */
export interface MailSettings {
  /** With a region, such as `es-MX`. */
  language?: string;
  /** Such as `America/Mexico_City`. */
  timeZone?: string;
  /** Where replies to its mails go. Null: to the sender. */
  replyTo?: string | null;
  /** The number that its mails ask to call. */
  phone?: string | null;
}

export interface NewOrganization extends MailSettings {
  /** Short and public. It begins with the organization's slot and is part of every device's user name. */
  code: string;
  name: string;
}

export interface OrganizationChanges extends MailSettings {
  name?: string;
  /** Its quota at a gateway. Null: the default of the gateway. */
  readingsPerSecond?: number | null;
  /** For how many days its readings are kept. 0: forever. Null: the default of the worker. */
  telemetryDays?: number | null;
}

export async function createOrganization(tx: Tx, organization: NewOrganization): Promise<number> {
  const known = await findOrganization(tx, organization.code);
  if (known !== undefined) throw new UserError(`the organization ${organization.code} already exists.`);
  if ((await findAnyOrganization(tx, organization.code)) !== undefined)
    throw new UserError(`the code ${organization.code} belonged to an organization that was deleted; choose another.`);
  const { code, name, language = 'en', timeZone = 'UTC', replyTo = null, phone = null } = organization;
  const { rows } = await tx.query<{ no: number }>(
    `insert into organizations (code, name, language, time_zone, reply_to, phone) values ($1, $2, $3, $4, $5, $6)
     returning no`,
    [code, name, language, timeZone, replyTo, phone],
  );
  return onlyRow(rows).no;
}

/** Changes the given fields only. */
export async function updateOrganization(tx: Tx, organizationNo: number, changes: OrganizationChanges): Promise<void> {
  const columns = {
    name: changes.name,
    language: changes.language,
    time_zone: changes.timeZone,
    reply_to: changes.replyTo,
    phone: changes.phone,
    readings_per_second: changes.readingsPerSecond,
    telemetry_days: changes.telemetryDays,
  };
  const given = Object.entries(columns).filter(([, value]) => value !== undefined);
  if (given.length === 0) throw new UserError('no field to change was given.');
  await lockOrganization(tx, organizationNo);
  await tx.query(
    `update organizations set ${given.map(([column], at) => `${column} = $${at + 2}`).join(', ')} where no = $1`,
    [organizationNo, ...given.map(([, value]) => value)],
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
  time_zone: string;
  reply_to: string | null;
  phone: string | null;
  /** Null: the default of the gateway. */
  readings_per_second: number | null;
  /** Null: the default of the worker. */
  telemetry_days: number | null;
  customers: number;
  tanks: number;
  created_at: string;
};

/** All organizations, with the numbers of their customers and tanks. */
export async function listOrganizations(db: Db): Promise<ListedOrganization[]> {
  const { rows } = await db.query<ListedOrganization>(
    `select code, name, language, time_zone, reply_to, phone, readings_per_second, telemetry_days,
            coalesce(customers, 0) as customers, coalesce(tanks, 0) as tanks, created_at
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
