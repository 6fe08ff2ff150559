import type { Db } from '../db/pool.ts';
import { parseProfile } from './profiles/parse_profile.ts';
import { isGaugeSettings, OrganizationGauges } from './selection.ts';

/** A profile or a profile assignment of an organization. */
export interface GaugeRow {
  kind: 'profile' | 'assignment';
  organization_no: number;
  /** The name of the profile, or the selector. */
  name: string;
  /** The profile that is assigned. */
  profile: string | null;
  /** The definition of the profile, or the settings of the assignment. */
  content: unknown;
  is_deleted: boolean;
}

export const GAUGE_ROWS = `
  select 'profile' as kind, organization_no, profile as name, null::text as profile, definition as content,
         deleted_at is not null as is_deleted, changed_xid
  from gauge_profiles
  union all
  select 'assignment', organization_no, selector, profile, settings, deleted_at is not null, changed_xid from profile_assignments`;

/** Reads the profiles and assignments of some organizations. */
export async function readOrganizationGauges(
  db: Db,
  organizationNos: readonly number[],
): Promise<Map<number, OrganizationGauges>> {
  const { rows } = await db.query<GaugeRow>(
    `select kind, organization_no, name, profile, content, is_deleted from (${GAUGE_ROWS}) as k
     where organization_no = any ($1) and not is_deleted`,
    [organizationNos],
  );
  const organizations = new Map<number, OrganizationGauges>();
  for (const row of rows) applyGaugeRow(organizations, row);
  return organizations;
}

export function applyGaugeRow(organizations: Map<number, OrganizationGauges>, row: GaugeRow): void {
  const { kind, organization_no: organizationNo, name, profile, content, is_deleted: isDeleted } = row;
  const gauges = organizations.get(organizationNo) ?? new OrganizationGauges();
  organizations.set(organizationNo, gauges);
  if (kind === 'assignment') {
    const settings = isGaugeSettings(content) ? content : null;
    return gauges.assign(name, isDeleted || profile === null ? null : { profile, settings });
  }
  // This release may not know all fields of a profile that a later release has accepted.
  const parsed = isDeleted ? null : parseProfile(content);
  gauges.setProfile(name, parsed === null || 'errors' in parsed ? null : parsed);
}
