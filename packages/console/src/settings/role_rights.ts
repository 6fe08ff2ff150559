import type { Contact } from '@tankwatch/client';

export type Role = Contact['roles'][number];
export const ROLES = ['viewer', 'dispatcher', 'technician', 'administrator'] as const satisfies readonly Role[];

/** The rights of the service with the roles that have them, in the order of the page. `read` is the right to see everything. */
const ROLES_BY_RIGHT = [
  ['read', ROLES],
  ['alerts', ['dispatcher', 'administrator']],
  ['notes', ['dispatcher', 'technician', 'administrator']],
  ['deliveries', ['dispatcher', 'administrator']],
  ['dips', ['dispatcher', 'technician', 'administrator']],
  ['devices', ['technician', 'administrator']],
  ['catalog', ['administrator']],
  ['contacts', ['administrator']],
  ['webhooks', ['administrator']],
  ['audit', ['administrator']],
] as const satisfies readonly (readonly [right: string, roles: readonly Role[]])[];

export const rightsOfRole = (role: Role): (typeof ROLES_BY_RIGHT)[number][0][] =>
  ROLES_BY_RIGHT.filter(([, roles]) => roles.some((one) => one === role)).map(([right]) => right);
