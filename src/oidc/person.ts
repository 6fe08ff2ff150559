import { CUSTOMER_FIELDS } from '../catalog/customer_fields.ts';
import { CONSOLE_ROLES, type ConsoleRole } from '../keys/console_roles.ts';
import { CONTACT_FIELDS } from '../mail/contacts.ts';
import type { Issuer } from './issuer.ts';

/** The person that the issuer has identified. */
export interface Person {
  subject: string;
  email: string | null;
  /** True only if the issuer sends the boolean true. A missing claim proves nothing. */
  isEmailVerified: boolean;
  name: string | null;
  /** The roles of the person's groups; null if the issuer does not set roles. */
  roles: ConsoleRole[] | null;
}

const MAX_NAME_LENGTH = 200;

/**
 * Reads the person from the claims. Returns undefined if the roles are unknown: the groups are missing, or there are too many for the
 * token (in Entra ID, more than 200).
 */
export function readPerson(
  claims: Readonly<Record<string, unknown>> & { sub: string },
  issuer: Pick<Issuer, 'groupClaim' | 'groupRoles'>,
): Person | undefined {
  const roles = rolesOf(claims, issuer);
  if (roles === undefined) return undefined;
  const parsed = typeof claims['email'] === 'string' ? CUSTOMER_FIELDS.email(claims['email'].trim()) : undefined;
  const email = parsed !== undefined && 'value' in parsed ? parsed.value : null;
  // A name that cannot be stored is ignored, so that the person can still sign in.
  const name =
    typeof claims['name'] === 'string' ? CONTACT_FIELDS.name(claims['name'].slice(0, MAX_NAME_LENGTH)) : undefined;
  return {
    subject: claims.sub,
    email,
    isEmailVerified: email !== null && claims['email_verified'] === true,
    name: name !== undefined && 'value' in name ? name.value : null,
    roles,
  };
}

/** Returns true if the ID token lacks the address or the groups, which the userinfo endpoint may have. */
export const needsUserInfo = (
  claims: Readonly<Record<string, unknown>>,
  { groupClaim, groupRoles }: Pick<Issuer, 'groupClaim' | 'groupRoles'>,
): boolean => claims['email'] === undefined || (Object.keys(groupRoles).length > 0 && claims[groupClaim] === undefined);

function rolesOf(
  claims: Readonly<Record<string, unknown>>,
  { groupClaim, groupRoles }: Pick<Issuer, 'groupClaim' | 'groupRoles'>,
): ConsoleRole[] | null | undefined {
  if (Object.keys(groupRoles).length === 0) return null;
  if (areGroupsOmitted(claims, groupClaim)) return undefined;
  const claim = claims[groupClaim];
  // Some providers write a single group as a text.
  const groups = typeof claim === 'string' ? [claim] : claim;
  if (!Array.isArray(groups) || !groups.every((group) => typeof group === 'string')) return undefined;
  const roles = new Set(groups.flatMap((group) => (Object.hasOwn(groupRoles, group) ? groupRoles[group] : [])));
  return CONSOLE_ROLES.filter((role) => roles.has(role));
}

/** Returns true if Entra ID has omitted the groups, because there are too many. It then adds one of these claims. */
function areGroupsOmitted(claims: Readonly<Record<string, unknown>>, groupClaim: string): boolean {
  const claimNames = claims['_claim_names'];
  const isElsewhere = typeof claimNames === 'object' && claimNames !== null && Object.hasOwn(claimNames, groupClaim);
  return isElsewhere || claims['hasgroups'] === true || claims['hasgroups'] === 'true';
}
