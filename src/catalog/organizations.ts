import { onlyRow } from '../db/only_row.ts';
import { type Db, lockOnce, type Tx } from '../db/pool.ts';
import { type DecimalMark, decimalMarkOf } from '../values/decimal.ts';
import { usualDateOrder } from '../values/file_dates.ts';
import type { Product } from '../values/products.ts';
import type { TextFormat } from '../values/text_format.ts';
import { UserError } from '../values/user_error.ts';

/** How mails to the customers and contacts of an organization are written. */
export interface MailSettings {
  /** The language tag with a region, such as `es-MX`. */
  language?: string;
  /** The IANA name of the time zone, such as `America/Mexico_City`. */
  timeZone?: string;
  /** The address for replies to the mails. If null, replies go to the sender of the mails. */
  replyTo?: string | null;
  /** The phone number that the mails ask people to call. */
  phone?: string | null;
  /** The number to call in an emergency. If null, the emergency number of the country is used. */
  emergencyPhone?: string | null;
  /** The safety steps for people near a leaking tank, in this order. If null, the texts of Tankwatch are used. */
  safetySteps?: readonly string[] | null;
}

export interface NewOrganization extends MailSettings {
  /** Short and public. It begins with the organization's slot and is part of every device's user name. */
  code: string;
  name: string;
  /** The number of the organization in the cell that it comes from. Undefined for a new number. */
  no?: number | undefined;
  /** The route tag of the organization in the cell that it comes from. Undefined for a new tag. */
  routeTag?: string | undefined;
}

export interface OrganizationChanges extends MailSettings {
  name?: string;
  /** The product of tanks that have no product of their own. */
  defaultProduct?: Product;
  /** The quota of readings at a gateway. Null for the default of the gateway. */
  readingsPerSecond?: number | null;
  /** The number of days for which readings are kept. 0 means forever; null is the default of the worker. */
  telemetryDays?: number | null;
  /** The quotas over HTTP: what the organization may have, and may create in a day. Null for the default of the api. */
  maxCustomers?: number | null;
  maxTanks?: number | null;
  maxRoundsPerDay?: number | null;
  maxNotesPerDay?: number | null;
  /** Whether unusual use is reported as an event and on the console page of today. */
  reportsUnusualUse?: boolean;
}

/**
 * The quotas over HTTP of an organization without quotas of its own: how many customers and tanks it may have, and how
 * many rounds and delivery notes it may create in a day.
 */
export const DEFAULT_QUOTAS = { customers: 1_000_000, tanks: 1_000_000, rounds: 2_000, delivery_notes: 100_000 };

export async function createOrganization(tx: Tx, organization: NewOrganization): Promise<number> {
  const known = await findOrganization(tx, organization.code);
  if (known !== undefined)
    throw new UserError(
      `the organization ${organization.code} already exists; choose another code, or change it with: tankwatch organizations update ${organization.code}`,
    );
  if ((await findAnyOrganization(tx, organization.code)) !== undefined)
    throw new UserError(`the code ${organization.code} belonged to an organization that was deleted; choose another.`);
  const { code, name, no, routeTag = null, language = 'en', timeZone = 'UTC' } = organization;
  const { replyTo = null, phone = null, emergencyPhone = null, safetySteps = null } = organization;
  if (no !== undefined) await refuseTakenNumber(tx, no);
  if (routeTag !== null) await refuseTakenTag(tx, code, routeTag);
  const { rows } = await tx.query<{ no: number }>(
    `insert into organizations (${no === undefined ? '' : 'no, '}code, name, language, time_zone, reply_to, phone,
       emergency_phone, safety_steps, route_tag)
     ${no === undefined ? '' : 'overriding system value'}
     values (${no === undefined ? '' : `${no}, `}$1, $2, $3, $4, $5, $6, $7, $8, $9) returning no`,
    [code, name, language, timeZone, replyTo, phone, emergencyPhone, safetySteps, routeTag],
  );
  return onlyRow(rows).no;
}

/**
 * Accepts only numbers outside the range of this cell. A number inside the range would later be assigned again by the
 * sequence.
 */
async function refuseTakenNumber(tx: Tx, no: number): Promise<void> {
  const { rows } = await tx.query<{ code: string | null; is_own: boolean }>(
    `select (select code from organizations where no = $1) as code, $1::int between seqmin and seqmax as is_own
     from pg_sequence where seqrelid = pg_get_serial_sequence('organizations', 'no')::regclass`,
    [no],
  );
  const { code, is_own } = onlyRow(rows);
  if (code !== null) throw new UserError(`the number ${no} belongs to ${code} already.`);
  if (is_own)
    throw new UserError(
      `the number ${no} is one of this cell; give each cell its own CELL_NUMBER, or remove "no" from the file of the ` +
        'secrets, and the organization gets a new number.',
    );
}

/** Refuses a route tag that another organization of the slot has, because keys of both would go to the same cell. */
async function refuseTakenTag(tx: Tx, code: string, routeTag: string): Promise<void> {
  const { rows } = await tx.query<{ code: string }>(
    'select code from organizations where left(code, 2) = left($1, 2) and route_tag = $2',
    [code, routeTag],
  );
  const [taken] = rows;
  if (taken !== undefined)
    throw new UserError(
      `the route tag ${routeTag} belongs to ${taken.code} already; remove "route_tag" from the file of the secrets, and the ` +
        'organization gets a new one.',
    );
}

/** The four characters after the slot in an organization's keys. They stay the same when it moves to another cell. */
export async function readRouteTag(db: Db, organizationNo: number): Promise<string> {
  const { rows } = await db.query<{ tag: string }>('select route_tag as tag from organizations where no = $1', [
    organizationNo,
  ]);
  return onlyRow(rows).tag;
}

/** Changes the given fields only. Returns false if no field is given. */
export async function updateOrganization(
  tx: Tx,
  organizationNo: number,
  changes: OrganizationChanges,
): Promise<boolean> {
  const columns = {
    name: changes.name,
    language: changes.language,
    time_zone: changes.timeZone,
    reply_to: changes.replyTo,
    phone: changes.phone,
    emergency_phone: changes.emergencyPhone,
    safety_steps: changes.safetySteps,
    default_product: changes.defaultProduct,
    readings_per_second: changes.readingsPerSecond,
    telemetry_days: changes.telemetryDays,
    max_customers: changes.maxCustomers,
    max_tanks: changes.maxTanks,
    max_rounds_per_day: changes.maxRoundsPerDay,
    max_notes_per_day: changes.maxNotesPerDay,
    unusual_use_off_at: changes.reportsUnusualUse,
  };
  const given = Object.entries(columns).filter(([, value]) => value !== undefined);
  if (given.length === 0) return false;
  await lockOrganization(tx, organizationNo);
  await tx.query(
    `update organizations set ${given.map(([column], at) => assignment(column, `$${at + 2}`)).join(', ')} where no = $1`,
    [organizationNo, ...given.map(([, value]) => value)],
  );
  return true;
}

/** `unusual_use_off_at` keeps the first time if reports are turned off twice. */
const assignment = (column: string, value: string): string =>
  column === 'unusual_use_off_at'
    ? `${column} = case when ${value} then null else coalesce(${column}, now()) end`
    : `${column} = ${value}`;

/** Finds an organization by its code, even if it is deleted. */
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
 * before any row is locked prevents deadlocks between two operators. Requests take it before they lock their caller. The
 * functions of the catalog take it again, which costs no statement if the transaction has it.
 */
export async function lockOrganization(tx: Tx, organizationNo: number): Promise<{ code: string }> {
  const code = await lockOnce(tx, `organization ${organizationNo}`, async () => {
    const { rows } = await tx.query<{ code: string | null }>('select lock_organization($1) as code', [organizationNo]);
    const [locked] = rows;
    if (!locked?.code) throw new UserError(`there is no organization ${organizationNo}.`);
    return locked.code;
  });
  return { code };
}

interface FoundOrganization {
  no: number;
  code: string;
  name: string;
  language: string;
  time_zone: string;
}

/** The first organizations in the order of their codes, or the one with this code. */
export async function findOrganizations(
  db: Db,
  { code, limit }: { code: string | undefined; limit: number },
): Promise<FoundOrganization[]> {
  const { rows } = await db.query<FoundOrganization>(
    `select no, code, name, language, time_zone from organizations
     where deleted_at is null and ($1::text is null or code = $1) order by code limit $2`,
    [code ?? null, limit],
  );
  return rows;
}

/** Reads the decimal mark that is usual in the language of the organization. */
export async function readUsualDecimal(db: Db, no: number): Promise<DecimalMark> {
  const { rows } = await db.query<{ language: string }>('select language from organizations where no = $1', [no]);
  return decimalMarkOf(rows[0]?.language ?? 'en');
}

export async function readTimeZone(db: Db, no: number): Promise<string> {
  const { rows } = await db.query<{ time_zone: string }>('select time_zone from organizations where no = $1', [no]);
  return onlyRow(rows).time_zone;
}

/** The time zone and the usual order of dates of the organization, for files that do not state them. */
export async function readDateHabits(db: Db, no: number): Promise<Pick<TextFormat, 'timeZone' | 'dateOrder'>> {
  const { rows } = await db.query<{ language: string; time_zone: string }>(
    'select language, time_zone from organizations where no = $1',
    [no],
  );
  const { language, time_zone: timeZone } = onlyRow(rows);
  return { timeZone, dateOrder: usualDateOrder(language, timeZone) };
}

interface ManagedSettings {
  default_product: string;
  reports_unusual_use: boolean;
}

/** The settings that administrators of the organization can change. */
export async function readManagedSettings(db: Db, no: number): Promise<ManagedSettings> {
  const { rows } = await db.query<ManagedSettings>(
    'select default_product, unusual_use_off_at is null as reports_unusual_use from organizations where no = $1',
    [no],
  );
  return onlyRow(rows);
}

/** Organizations for the command line, each with the count of its customers and of its tanks. */
export async function listOrganizations(db: Db): Promise<(Record<string, unknown> & { code: string; name: string })[]> {
  const { rows } = await db.query<Record<string, unknown> & { code: string; name: string }>(
    `select code, name, language, time_zone, reply_to, phone, emergency_phone, safety_steps, default_product, readings_per_second,
            telemetry_days, max_customers, max_tanks, max_rounds_per_day, max_notes_per_day,
            unusual_use_off_at is null as reports_unusual_use,
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

/** The organizations that were deleted, the latest deletion first. Their names are erased. */
export async function listDeletedOrganizations(db: Db): Promise<Record<string, unknown>[]> {
  const { rows } = await db.query<Record<string, unknown>>(
    `select code, deleted_at, erased_at, case when erased_at is null then 'being erased' else 'erased' end as state
     from organizations where deleted_at is not null order by deleted_at desc, no desc`,
  );
  return rows;
}
