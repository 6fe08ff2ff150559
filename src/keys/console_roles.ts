/** The roles of a person in the console. Rights add up; a viewer only reads. */
export const CONSOLE_ROLES = ['viewer', 'dispatcher', 'technician', 'administrator'] as const;
export type ConsoleRole = (typeof CONSOLE_ROLES)[number];

/**
 * What a role lets a person change: the catalog (customers, tanks, thresholds), the device of a tank, alerts
 * (acknowledgements and mutes), notes on tanks, deliveries (rounds and delivery notes), manual readings (`dips`),
 * contacts and their roles, webhooks. `audit` lets a person read who changed what.
 */
export const RIGHTS = [
  'catalog',
  'devices',
  'alerts',
  'notes',
  'deliveries',
  'dips',
  'contacts',
  'webhooks',
  'audit',
] as const;
export type Right = (typeof RIGHTS)[number];

const RIGHTS_OF: Readonly<Record<ConsoleRole, readonly Right[]>> = {
  viewer: [],
  dispatcher: ['alerts', 'notes', 'deliveries', 'dips'],
  technician: ['devices', 'notes', 'dips'],
  administrator: RIGHTS,
};

/** What an owner who signed in may change. */
export const OWNER_RIGHTS: readonly Right[] = ['dips'];

/** The rights of all these roles together, in the order of RIGHTS. */
export const rightsOf = (roles: readonly ConsoleRole[]): Right[] =>
  RIGHTS.filter((right) => roles.some((role) => RIGHTS_OF[role].includes(right)));
