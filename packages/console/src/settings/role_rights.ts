import type { Contact } from '@tankwatch/client';

export type Role = Contact['roles'][number];
export const ROLES = ['viewer', 'dispatcher', 'technician', 'administrator'] as const satisfies readonly Role[];

/** Which roles may do what: the rights of the service, and reading, in the order in which the page tells them. */
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
