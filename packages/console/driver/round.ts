/** The types of a round on the phone, and functions that apply unsent entries to its stops. No I/O. */

import { type DecimalMark, parseNumber } from '../../../src/values/decimal.ts';

export const REASONS = ['no_access', 'refused', 'full', 'truck_empty', 'unsafe', 'other'] as const;
export type Reason = (typeof REASONS)[number];

export type Unit = 'liters' | 'gallons';

/** The driver's report about a stop. `reopened` withdraws the earlier report. */
export interface Entry {
  /** The phone makes the id, so that an entry that is sent twice is stored once. */
  id: string;
  roundId: string;
  stop: number;
  tankId: string;
  kind: 'delivered' | 'not_possible' | 'reopened';
  volume: number | null;
  unit: Unit | null;
  reason: Reason | null;
  comment: string | null;
  /** Number of the delivery note. */
  note: string | null;
  /** The level on the dial after the delivery, if the tank has no sensor. */
  filledTo: number | null;
  /** ISO 8601, by the clock of the phone. */
  at: string;
  /** Why the service will never accept the entry, such as `409`. The phone keeps it, so the driver can tell the office. */
  refused?: string;
}

/** What the driver needs only while the stop is open. The phone has no details of a closed stop. */
export interface StopDetails {
  customer: string;
  /** In the order in which they are to be called. */
  phones: readonly { number: string; whose: string | null }[];
  address: string;
  latitude: number | null;
  longitude: number | null;
  notes: readonly string[];
}

export interface Stop {
  stop: number;
  position: number;
  why: 'must' | 'could' | 'added';
  tankId: string;
  tank: string;
  customId: string | null;
  city: string | null;
  /** The approximate volume that fits. Null if it is unknown. */
  volume: number | null;
  /** The planned volume, if the volume has changed so much that the driver is told. */
  plannedVolume: number | null;
  /** True if the tank was filled since the stop was planned. The office decides whether the driver still goes there. */
  isFilled: boolean;
  /** Not null while the tank loses gas, because nobody may go there then. */
  block: Block | null;
  fillPercentage: number | null;
  levelAt: string | null;
  /** True if a person read this level on the dial, because the tank has no sensor. */
  isDip: boolean;
  /** Missing in a round that an earlier release stored on the phone. */
  product?: string | null;
  fillLimit?: number | null;
  state: 'open' | 'delivered' | 'not_possible' | 'not_done';
  closedBy: 'driver' | 'person' | 'gauge' | null;
  isSeenByGauge: boolean;
  delivered: number | null;
  reason: Reason | null;
  details: StopDetails | null;
}

export interface Block {
  /** When the loss began. The driver has to read about a later loss again. */
  since: string;
  isRead: boolean;
}

/** The driver has read why this stop is blocked, and the service does not know that yet. */
export interface ReadBlock {
  stop: number;
  since: string;
}

export interface Round {
  id: string;
  date: string;
  isOver: boolean;
  truck: string | null;
  driver: string | null;
  organization: string;
  organizationPhone: string | null;
  language: string;
  timeZone: string;
  fillTo: number;
  capacity: number | null;
  unit: Unit;
  readUntil: string;
  sendUntil: string;
  stops: readonly Stop[];
}

export interface ShownStop extends Stop {
  /** True if the driver's newest report is still on this phone only. */
  isUnsent: boolean;
}

/** The stops that the service sent, changed by the entries that the service does not have yet, oldest first. */
export function stopsAfter(round: Round, unsent: readonly Entry[]): ShownStop[] {
  const newest = new Map(
    unsent
      .filter(({ roundId }) => roundId === round.id)
      .toSorted((a, b) => a.at.localeCompare(b.at))
      .map((entry) => [entry.stop, entry]),
  );
  return round.stops
    .map((stop) => {
      const entry = newest.get(stop.stop);
      return entry === undefined ? { ...stop, isUnsent: false } : { ...applyEntry(stop, entry), isUnsent: true };
    })
    .toSorted((a, b) => a.position - b.position);
}

/** The stop after an entry. A closed stop has no name, address and phone. */
export function applyEntry(stop: Stop, entry: Entry, details: StopDetails | null = stop.details): Stop {
  if (entry.kind === 'reopened')
    return { ...stop, state: 'open', closedBy: null, delivered: null, reason: null, details };
  return {
    ...stop,
    state: entry.kind,
    closedBy: 'driver',
    delivered: entry.volume,
    reason: entry.reason,
    details: null,
  };
}

/** Why nobody may go to a stop. Only an open stop can be blocked. */
export const blockOf = ({ state, block }: Stop): Block | null => (state === 'open' ? (block ?? null) : null);

/** The stop that the driver chose, or the first open one. A blocked stop is never next, and a full tank only if nothing else is left. */
export function nextStop(stops: readonly ShownStop[], chosen: number | null): ShownStop | undefined {
  const open = stops.filter((stop) => stop.state === 'open' && blockOf(stop) === null);
  return open.find(({ stop }) => stop === chosen) ?? open.find(({ isFilled }) => !isFilled) ?? open[0];
}

/** Marks the blocks that the driver has read on this phone. */
export function withRead(round: Round, read: readonly ReadBlock[]): Round {
  const isRead = ({ stop, block }: Stop): boolean =>
    read.some((one) => one.stop === stop && one.since === block?.since);
  const stops = round.stops.map((stop) =>
    stop.block && isRead(stop) ? { ...stop, block: { ...stop.block, isRead: true } } : stop,
  );
  return { ...round, stops };
}

/** Removes the details of stops that the driver has closed, because a response may be older than the last entry. */
export function withoutClosedDetails(round: Round, unsent: readonly Entry[]): Round {
  const closed = new Set(stopsAfter(round, unsent).flatMap(({ stop, state }) => (state === 'open' ? [] : [stop])));
  return {
    ...round,
    stops: round.stops.map((stop) => (closed.has(stop.stop) ? { ...stop, details: null } : stop)),
  };
}

/** A time after all entries, even if the clock of the phone was set back, because the newest entry of a stop counts. */
export const timeOfNext = (entries: readonly Entry[], nowMs: number): string =>
  new Date(Math.max(nowMs, ...entries.map(({ at }) => Date.parse(at) + 1))).toISOString();

/** Parses a typed volume as the language writes numbers. If the language writes 0.5, then 2,095 is two thousand. */
export function readVolume(text: string, usual: DecimalMark): number | 'ambiguous' | undefined {
  const volume = parseNumber(text, { usual });
  if (volume === 'ambiguous') return volume;
  return typeof volume === 'number' && volume > 0 && volume <= 1_000_000 ? volume : undefined;
}

/** Parses the level on a dial, in percent. Null if the text is not a level; the delivery is recorded without it. */
export function readLevel(text: string): number | null {
  const level = parseNumber(text.replace('%', ''), { isBelow1000: true });
  return typeof level === 'number' && level >= 0 && level <= 100 ? level : null;
}

/** The URL that opens the navigation of the phone. An iPhone does not support geo: URLs. */
export function navigationUrl(details: StopDetails, isApple: boolean): string | null {
  const { latitude, longitude, address } = details;
  const hasPlace = latitude !== null && longitude !== null;
  if (!hasPlace && address === '') return null;
  const target = encodeURIComponent(hasPlace ? `${latitude},${longitude}` : address);
  if (isApple) return `maps://?daddr=${target}`;
  return hasPlace ? `geo:${latitude},${longitude}?q=${target}` : `geo:0,0?q=${target}`;
}
