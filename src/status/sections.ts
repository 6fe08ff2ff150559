/**
 * The sections of a day's work, the most urgent first. A tank is in the first section whose condition holds, and in none if there is
 * nothing to do. Counts, filters, the digest and the command line all use these conditions.
 */
export const SECTIONS = ['losing', 'low', 'unusual_use', 'gauge', 'silent_low', 'handled', 'due', 'refilled'] as const;
export type Section = (typeof SECTIONS)[number];

/** A tank is due if it reaches its threshold within this many days, of which today is the first, in the organization's time zone. */
export const DUE_DAYS = 3;
/**
 * A tank counts as losing for this time after the loss was last detected. The views tank_conditions, acknowledgement_ends and
 * round_stop_blocks repeat this number.
 */
export const LOSING_HOURS = 48;

/**
 * SQL condition on a row `f` of fleet_tanks. The first part repeats the condition of the index, because PostgreSQL does not derive it
 * from the second part.
 */
export const IS_LOSING_SQL = `(f.losing_seen_at > '-infinity' and f.losing_seen_at > now() - interval '${LOSING_HOURS} hours')`;

/** Unusual use is shown for this time after its event. By then, a person has asked the customer. */
const UNUSUAL_USE_HOURS = 72;
const IS_UNUSUAL_SQL = `(f.unusual_use_at > '-infinity' and f.unusual_use_at > now() - interval '${UNUSUAL_USE_HOURS} hours')`;

/** SQL condition: the tank is low, or reaches its threshold within `days` days. `today` and `days` are SQL expressions. */
export const isWithinDaysSql = (today: string, days: string | number): string => `f.threshold_on <= ${today} + ${days}`;

/** The conditions that can be handled. Each has its bit in `fleet_tanks.handled`; 16 means that the tank is muted. */
export const CONDITIONS = ['losing', 'low', 'gauge_unreliable', 'silent'] as const;
export type HandledCondition = (typeof CONDITIONS)[number];
/** The conditions that can be acknowledged. `device` is a device with a fault, a low battery, a weak signal, or no reading so far. */
export const ACKNOWLEDGED_CONDITIONS = [...CONDITIONS, 'device'] as const;
export type AcknowledgedCondition = (typeof ACKNOWLEDGED_CONDITIONS)[number];
const BITS: Readonly<Record<HandledCondition, number>> = { losing: 1, low: 2, gauge_unreliable: 4, silent: 8 };
const MUTED_BIT = 16;

/** Returns the SQL expression of the organization's date. It is called only if needed, because it may add a parameter. */
type Today = () => string;

/** The condition of each section, regardless of earlier sections and of handling. */
const SECTION_CONDITIONS: Readonly<Record<Exclude<Section, 'handled'>, (today: Today) => string>> = {
  losing: () => IS_LOSING_SQL,
  low: () => 'f.is_low',
  unusual_use: () => IS_UNUSUAL_SQL,
  gauge: () => 'f.is_gauge_unreliable',
  // The level of a silent tank is not known, so `threshold_on` is the earliest date of the forecast, not the likely one.
  silent_low: (today) => `(f.is_silent and f.threshold_on <= ${today()})`,
  due: (today) => isWithinDaysSql(today(), DUE_DAYS - 1),
  refilled: (today) => `f.refilled_on >= ${today()} - 1`,
};

/** The condition of a section that can be handled. */
const CONDITION_OF: Partial<Record<Section, HandledCondition>> = {
  losing: 'losing',
  low: 'low',
  gauge: 'gauge_unreliable',
  silent_low: 'silent',
};

/**
 * SQL conditions on the handling of a row `f`. A bit in `fleet_tanks.handled` means that the condition was handled; the
 * database decides whether it still is, so that an expiry counts before the worker has recorded it.
 */
interface HandledSql {
  isOpen(bit: number): string;
  isHandled: string;
}

/** Uses the bits of `HANDLED_BITS_JOIN`. */
const BY_JOIN: HandledSql = {
  isOpen: (bit) => `(coalesce(handling.bits, 0) & ${bit}) = 0`,
  isHandled: 'coalesce(handling.bits, 0) <> 0',
};

/** Begins a statement that has the condition of a section. Reads the handled tanks of the organization once, and only if needed. */
export const handledSetSql = (organizationNo: string): string =>
  `with handled as materialized (select h.tank_no, h.bits from handled_tanks(${organizationNo}) h)`;

/** Uses the set of `handledSetSql`, but only for tanks with a bit in their rows. */
const BY_SET: HandledSql = {
  isOpen: (bit) => `((f.handled & ${bit | MUTED_BIT}) = 0 or ${isNotInSet(bit)})`,
  // The first part is the condition of the index.
  isHandled: '(f.handled <> 0 and f.tank_no in (select h.tank_no from handled h))',
};

/** For counts, which read only indexes. Indexes do not contain the bits of the rows. */
const BY_SET_ONLY: HandledSql = { ...BY_SET, isOpen: isNotInSet };

function isNotInSet(bit: number): string {
  return `f.tank_no not in (select h.tank_no from handled h where (h.bits & ${bit}) <> 0)`;
}

/** SQL condition: the condition of a section holds, and is not handled. */
function openSql(section: Section, today: Today, handled: HandledSql): string {
  if (section === 'handled') return handled.isHandled;
  const condition = CONDITION_OF[section];
  const holds = SECTION_CONDITIONS[section](today);
  // A person who handles any condition of the tank knows about the unusual use already.
  if (section === 'unusual_use') return `(${holds} and not (${handled.isHandled}))`;
  return condition === undefined ? holds : `(${holds} and ${handled.isOpen(BITS[condition])})`;
}

/** SQL condition on a row `f` of fleet_tanks: the tank is in this section. The statement begins with `handledSetSql`. */
export function isInSectionSql(section: Section, today: Today, { isForOwner }: { isForOwner: boolean }): string {
  // Owners are warned of a loss until it is over, even if it is handled.
  const open = (name: Section): string =>
    isForOwner && name === 'losing' ? IS_LOSING_SQL : openSql(name, today, BY_SET);
  return inSection(section, open(section), (earlier) => `not ${open(earlier)}`);
}

/**
 * SQL condition for counts of an organization. The tanks of earlier sections are few and come from their own indexes,
 * so the rows of the section itself are counted in an index, without reading 10,000 low tanks one by one.
 */
export const isInSectionBySetsSql = (section: Section, today: Today, isOfOrganization: string): string => {
  const open = (name: Section): string => openSql(name, today, BY_SET_ONLY);
  return inSection(
    section,
    open(section),
    (earlier) =>
      `f.tank_no not in (select f.tank_no from fleet_tanks f where f.${isOfOrganization} and ${open(earlier)})`,
  );
};

function inSection(section: Section, open: string, isNotIn: (earlier: Section) => string): string {
  const before = SECTIONS.slice(0, SECTIONS.indexOf(section));
  if (section !== 'due') return [open, ...before.map(isNotIn)].join(' and ');
  // Only low tanks have the date -infinity. This condition leaves them out without reading their part of the index.
  const others = before.filter((earlier) => earlier !== 'low');
  return [open, `f.threshold_on > '-infinity'`, ...others.map(isNotIn)].join(' and ');
}

/** SQL expression: the section of a row `f` of fleet_tanks with `HANDLED_BITS_JOIN`, or null. */
export const sectionSql = (today: string): string =>
  `case ${SECTIONS.map((section) => `when ${openSql(section, () => today, BY_JOIN)} then '${section}'`).join(' ')} end`;
