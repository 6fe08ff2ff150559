import type { ChangeContext } from '../catalog/change_context.ts';
import { lockOrganization } from '../catalog/organizations.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Db, Tx } from '../db/pool.ts';
import { ChangeRefusedError, InvalidValuesError, NoSuchObjectError } from '../values/change_refusal.ts';
import { builtInProfiles } from './built_in_profiles.ts';
import { parseProfile } from './profiles/parse_profile.ts';
import type { GaugeProfile } from './profiles/profile.ts';
import {
  type GaugeSettings,
  isGaugeSettings,
  MAX_INTERVAL_MINUTES,
  MAX_PERIOD_MINUTES,
  parseSelector,
} from './selection.ts';

/** Limits of an organization: gateways keep everything in memory, and compare each device with the prefixes. */
export const MAX_GAUGE_PROFILES = 100;
export const MAX_PROFILE_ASSIGNMENTS = 10_000;
const MAX_DEVICE_PREFIXES = 100;
const MAX_PROFILE_BYTES = 32_768;
/** The limit of rows including those deleted in the last 30 days, as a multiple of the limits above. */
const MAX_KEPT_ROWS = 10;

const tooMany = (fact: string) => new ChangeRefusedError('too_many_gauges', `the organization has ${fact}`);

/** The pattern of profile names. Other names are not looked up, because PostgreSQL refuses a text with a NUL. */
const PROFILE_NAME = /^[a-z0-9-]{1,64}$/;

export type ProfileAssignment = {
  selector: string;
  profile: string;
  settings: GaugeSettings | null;
  created_at: string;
  updated_at: string;
};

export interface ListedProfile {
  definition: GaugeProfile;
  /** True if the organization has written the profile. Other profiles come with Tankwatch. */
  isOwn: boolean;
}

/** The profiles that an organization has written, then the built-in profiles with other names. */
export const withBuiltIn = (own: readonly GaugeProfile[]): ListedProfile[] => {
  const names = new Set(own.map(({ profile }) => profile));
  const others = [...builtInProfiles().values()].filter(({ profile }) => !names.has(profile));
  return [
    ...own.map((definition) => ({ definition, isOwn: true })),
    ...others.map((definition) => ({ definition, isOwn: false })),
  ];
};

/** The profiles of the organization, then those that come with Tankwatch, each by name. */
export async function listGaugeProfiles(db: Db, organizationNo: number): Promise<ListedProfile[]> {
  const { rows } = await db.query<{ definition: GaugeProfile }>(
    'select definition from gauge_profiles where organization_no = $1 and deleted_at is null order by profile',
    [organizationNo],
  );
  return withBuiltIn(rows.map(({ definition }) => definition));
}

/** The profile assignments of the organization, in the order of the selectors. */
export async function listProfileAssignments(db: Db, organizationNo: number): Promise<ProfileAssignment[]> {
  const { rows } = await db.query<ProfileAssignment>(
    `select selector, profile, settings, created_at, updated_at from profile_assignments
     where organization_no = $1 and deleted_at is null order by selector`,
    [organizationNo],
  );
  return rows;
}

/** A profile of the organization, or one that comes with Tankwatch. */
export async function findGaugeProfile(
  db: Db,
  organizationNo: number,
  name: string,
): Promise<GaugeProfile | undefined> {
  if (!PROFILE_NAME.test(name)) return undefined;
  const { rows } = await db.query<{ definition: GaugeProfile }>(
    'select definition from gauge_profiles where organization_no = $1 and profile = $2 and deleted_at is null',
    [organizationNo, name],
  );
  return rows[0]?.definition ?? builtInProfiles().get(name);
}

/** Parses a profile of an organization. Throws InvalidValuesError with everything that is wrong. */
export function checkGaugeProfile(given: unknown): GaugeProfile {
  const parsed = parseProfile(given);
  const isTooLarge = Buffer.byteLength(JSON.stringify(given) ?? '') > MAX_PROFILE_BYTES;
  if (isTooLarge)
    throw new InvalidValuesError([{ field: 'definition', reason: `may have at most ${MAX_PROFILE_BYTES} bytes` }]);
  if ('errors' in parsed)
    throw new InvalidValuesError(
      parsed.errors.map((error) => ({ field: 'definition', reason: error.replace(/\.$/, '') })),
    );
  return parsed;
}

/** Adds a profile, or replaces the profile of the same name. It is used instead of a built-in profile of the same name. */
export async function setGaugeProfile(
  { tx, organizationNo, isDryRun }: ChangeContext,
  given: unknown,
): Promise<{ profile: GaugeProfile; isNew: boolean }> {
  const profile = checkGaugeProfile(given);
  await lockOrganization(tx, organizationNo);
  const { rowCount } = await tx.query(
    `update gauge_profiles set definition = $3, updated_at = now()
     where organization_no = $1 and profile = $2 and deleted_at is null`,
    [organizationNo, profile.profile, profile],
  );
  if (rowCount === 1) return { profile, isNew: false };
  const { profiles, kept_profiles } = await countGauges(tx, organizationNo);
  if (profiles >= MAX_GAUGE_PROFILES) throw tooMany(`${MAX_GAUGE_PROFILES} profiles of gauges already`);
  if (kept_profiles >= MAX_KEPT_ROWS * MAX_GAUGE_PROFILES)
    throw tooMany('deleted too many profiles of gauges in the last 30 days; replace one, or wait');
  if (isDryRun) return { profile, isNew: true };
  await forgetDeleted(tx, 'gauge_profiles', organizationNo, profile.profile);
  await tx.query('insert into gauge_profiles (organization_no, profile, definition) values ($1, $2, $3)', [
    organizationNo,
    profile.profile,
    profile,
  ]);
  return { profile, isNew: true };
}

export async function removeGaugeProfile({ tx, organizationNo }: ChangeContext, name: string): Promise<void> {
  if (!PROFILE_NAME.test(name)) throw new NoSuchObjectError('gauge profile');
  await lockOrganization(tx, organizationNo);
  const { rows } = await tx.query<{ selector: string }>(
    'select selector from profile_assignments where organization_no = $1 and profile = $2 and deleted_at is null order by selector limit 1',
    [organizationNo, name],
  );
  const [user] = rows;
  if (user !== undefined && !builtInProfiles().has(name))
    throw new ChangeRefusedError('gauge_profile_in_use', `the profile ${name} is assigned to ${user.selector}`);
  const { rowCount } = await tx.query(
    `update gauge_profiles set deleted_at = now(), definition = '{}'
     where organization_no = $1 and profile = $2 and deleted_at is null`,
    [organizationNo, name],
  );
  if (rowCount === 0) throw new NoSuchObjectError('gauge profile');
}

/** Assigns a profile to a device, a model, an application or a topic. From now on, the profile decodes their messages. */
export async function assignProfile(
  { tx, organizationNo, isDryRun }: ChangeContext,
  { selector: text, profile, settings }: { selector: string; profile: string; settings: GaugeSettings | null },
): Promise<{ assignment: Pick<ProfileAssignment, 'selector' | 'profile' | 'settings'>; isNew: boolean }> {
  const selector = selectorOf(text);
  if (settings !== null && !isGaugeSettings(settings))
    throw new InvalidValuesError([
      {
        field: 'settings',
        reason: `must have interval_minutes from 1 to ${MAX_INTERVAL_MINUTES} and period_minutes from 1 to ${MAX_PERIOD_MINUTES}`,
      },
    ]);
  if (settings !== null && settings.interval_minutes > settings.period_minutes)
    throw new InvalidValuesError([{ field: 'settings.interval_minutes', reason: 'must not exceed period_minutes' }]);
  await lockOrganization(tx, organizationNo);
  if ((await findGaugeProfile(tx, organizationNo, profile)) === undefined) throw new NoSuchObjectError('gauge profile');
  const assignment = { selector, profile, settings };
  const { rowCount } = await tx.query(
    `update profile_assignments set profile = $3, settings = $4, updated_at = now()
     where organization_no = $1 and selector = $2 and deleted_at is null`,
    [organizationNo, selector, profile, settings],
  );
  if (rowCount === 1) return { assignment, isNew: false };
  const { assignments, kept_assignments, prefixes } = await countGauges(tx, organizationNo);
  if (assignments >= MAX_PROFILE_ASSIGNMENTS)
    throw tooMany(`${MAX_PROFILE_ASSIGNMENTS} assignments of profiles already`);
  if (kept_assignments >= MAX_KEPT_ROWS * MAX_PROFILE_ASSIGNMENTS)
    throw tooMany('deleted too many assignments of profiles in the last 30 days; replace one, or wait');
  if (selector.endsWith('*') && prefixes >= MAX_DEVICE_PREFIXES)
    throw tooMany(`${MAX_DEVICE_PREFIXES} assignments that end with * already`);
  if (isDryRun) return { assignment, isNew: true };
  await forgetDeleted(tx, 'profile_assignments', organizationNo, selector);
  await tx.query(
    'insert into profile_assignments (organization_no, selector, profile, settings) values ($1, $2, $3, $4)',
    [organizationNo, selector, profile, settings],
  );
  return { assignment, isNew: true };
}

export async function unassignProfile({ tx, organizationNo }: ChangeContext, selector: string): Promise<void> {
  await lockOrganization(tx, organizationNo);
  const { rowCount } = await tx.query(
    `update profile_assignments set deleted_at = now(), settings = null
     where organization_no = $1 and selector = $2 and deleted_at is null`,
    [organizationNo, selectorOf(selector)],
  );
  if (rowCount === 0) throw new NoSuchObjectError('profile assignment');
}

function selectorOf(text: string): string {
  const selector = parseSelector(text);
  if (selector !== undefined) return selector;
  throw new InvalidValuesError([
    {
      field: 'selector',
      reason:
        'must be topic=oil, device=A84041*, model=dragino/ldds75 or application=tanks, with * only at the end of a device',
    },
  ]);
}

interface GaugeCounts {
  profiles: number;
  assignments: number;
  /** The assignments that end with *. */
  prefixes: number;
  /** The profiles, including deleted rows that gateways may not have seen. */
  kept_profiles: number;
  /** The assignments, including deleted rows that gateways may not have seen. */
  kept_assignments: number;
}

async function countGauges(tx: Tx, organizationNo: number): Promise<GaugeCounts> {
  const { rows } = await tx.query<GaugeCounts>(
    `select p.profiles, p.kept_profiles, a.assignments, a.kept_assignments, a.prefixes
     from (
       select (count(*) filter (where deleted_at is null))::int as profiles, count(*)::int as kept_profiles
       from gauge_profiles where organization_no = $1 and (deleted_at is null or deleted_at >= now() - interval '30 days')
     ) as p cross join (
       select (count(*) filter (where deleted_at is null))::int as assignments, count(*)::int as kept_assignments,
              (count(*) filter (where deleted_at is null and selector like '%*'))::int as prefixes
       from profile_assignments where organization_no = $1 and (deleted_at is null or deleted_at >= now() - interval '30 days')
     ) as a`,
    [organizationNo],
  );
  return onlyRow(rows);
}

/**
 * Removes the deleted row of this name, and deleted rows older than 30 days. Deleted rows are kept for gateways that
 * were disconnected. A new row does not reuse a deleted one, so that it has its own number in the audit log.
 */
async function forgetDeleted(
  tx: Tx,
  table: 'gauge_profiles' | 'profile_assignments',
  organizationNo: number,
  name: string,
): Promise<void> {
  const column = table === 'gauge_profiles' ? 'profile' : 'selector';
  await tx.query(
    `delete from ${table}
     where organization_no = $1 and deleted_at is not null and (${column} = $2 or deleted_at < now() - interval '30 days')`,
    [organizationNo, name],
  );
}
