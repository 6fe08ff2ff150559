import { field } from '../src/json_field.ts';
import { type Block, REASONS, type Round, type Stop, type StopDetails, type Unit } from './round.ts';

/** Parses the response of `GET /driver/v1/round`. Throws if the response is not a round. */
export function parseRound(value: unknown): Round {
  return {
    id: text(value, 'id'),
    date: text(value, 'date'),
    isOver: optionalText(value, 'state') === 'done',
    truck: optionalText(value, 'truck'),
    driver: optionalText(value, 'driver'),
    organization: text(value, 'organization'),
    organizationPhone: optionalText(value, 'organization_phone'),
    language: text(value, 'language'),
    timeZone: text(value, 'time_zone'),
    fillTo: optionalNumber(value, 'fill_to') ?? 80,
    capacity: optionalNumber(value, 'truck_capacity'),
    unit: unitOf(value),
    readUntil: text(value, 'read_until'),
    sendUntil: text(value, 'send_until'),
    stops: list(field(value, 'stops')).map(parseStop),
  };
}

function parseStop(value: unknown): Stop {
  return {
    stop: number(value, 'stop'),
    position: number(value, 'position'),
    why: oneOf(['must', 'could', 'added'], optionalText(value, 'why')) ?? 'added',
    tankId: text(value, 'tank_id'),
    tank: text(value, 'tank'),
    customId: optionalText(value, 'custom_id'),
    city: optionalText(value, 'city'),
    volume: optionalNumber(value, 'volume'),
    plannedVolume: optionalNumber(value, 'planned_volume'),
    isFilled: field(value, 'is_filled_meanwhile') === true,
    block: parseBlock(field(value, 'block')),
    fillPercentage: optionalNumber(value, 'fill_percentage'),
    levelAt: optionalText(value, 'level_at'),
    isDip: field(value, 'is_dip') === true,
    product: optionalText(value, 'product'),
    fillLimit: optionalNumber(value, 'fill_limit'),
    state: oneOf(['open', 'delivered', 'not_possible', 'not_done'], optionalText(value, 'state')) ?? 'open',
    closedBy: oneOf(['driver', 'person', 'gauge'], optionalText(value, 'closed_by')) ?? null,
    isSeenByGauge: field(value, 'seen_by_gauge') === true,
    delivered: optionalNumber(value, 'delivered_volume'),
    reason: oneOf(REASONS, optionalText(value, 'reason')) ?? null,
    details: parseDetails(field(value, 'details')),
  };
}

function parseBlock(value: unknown): Block | null {
  if (typeof value !== 'object' || value === null) return null;
  return { since: text(value, 'since'), isRead: field(value, 'is_read') === true };
}

function parseDetails(value: unknown): StopDetails | null {
  if (typeof value !== 'object' || value === null) return null;
  return {
    customer: text(value, 'customer'),
    phones: parsePhones(value),
    address: text(value, 'address'),
    latitude: optionalNumber(value, 'latitude'),
    longitude: optionalNumber(value, 'longitude'),
    notes: list(field(value, 'notes')).filter((note) => typeof note === 'string'),
  };
}

/** A stop that a phone stored before 0.4 has one phone number. */
function parsePhones(details: object): StopDetails['phones'] {
  const phones = list(field(details, 'phones')).map((phone) => ({
    number: text(phone, 'number'),
    whose: optionalText(phone, 'whose'),
  }));
  const only = optionalText(details, 'phone');
  return phones.length > 0 || only === null ? phones : [{ number: only, whose: null }];
}

const unitOf = (value: unknown): Unit => (optionalText(value, 'unit') === 'gallons' ? 'gallons' : 'liters');

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function optionalText(value: unknown, name: string): string | null {
  const found = field(value, name);
  return typeof found === 'string' ? found : null;
}

function text(value: unknown, name: string): string {
  const found = optionalText(value, name);
  if (found === null) throw new TypeError(`the answer has no ${name}`);
  return found;
}

function optionalNumber(value: unknown, name: string): number | null {
  const found = field(value, name);
  return typeof found === 'number' ? found : null;
}

function number(value: unknown, name: string): number {
  const found = optionalNumber(value, name);
  if (found === null) throw new TypeError(`the answer has no ${name}`);
  return found;
}

const oneOf = <const T extends string>(known: readonly T[], given: string | null): T | undefined =>
  known.find((one) => one === given);
