import type { Contact } from '@tankwatch/client';

export type Role = Contact['roles'][number];
export const ROLES = ['viewer', 'dispatcher', 'technician', 'administrator'] as const satisfies readonly Role[];

/** The roles that have each right of the service, and `read`, in the order of the page. */
export const MAY = {
  read: ROLES,
  alerts: ['dispatcher', 'administrator'],
  notes: ['dispatcher', 'technician', 'administrator'],
  deliveries: ['dispatcher', 'administrator'],
  dips: ['dispatcher', 'technician', 'administrator'],
  devices: ['technician', 'administrator'],
  catalog: ['administrator'],
  contacts: ['administrator'],
  webhooks: ['administrator'],
  audit: ['administrator'],
} as const satisfies Record<string, readonly Role[]>;

const RIGHT_NAMES = [
  'read',
  'alerts',
  'notes',
  'deliveries',
  'dips',
  'devices',
  'catalog',
  'contacts',
  'webhooks',
  'audit',
] as const satisfies readonly (keyof typeof MAY)[];

export const rightsOfRole = (role: Role): (keyof typeof MAY)[] =>
  RIGHT_NAMES.filter((right) => MAY[right].some((one) => one === role));
