import type { Pool } from 'pg';
import { createCustomers } from '../src/catalog/customers.ts';
import { createOrganization } from '../src/catalog/organizations.ts';
import { createTanks } from '../src/catalog/tanks.ts';
import { transaction } from '../src/db/pool.ts';
import { fireAllTimers } from '../src/evaluation/fire_timers.ts';
import { BatchIngester } from '../src/ingest/batch_ingester.ts';
import { issueKey } from '../src/keys/issue_key.ts';
import type { TankReading } from '../src/telemetry/reading.ts';
import { DAY_MS, HOUR_MS } from '../src/values/time.ts';
import type { PictureDeliveries } from './screenshot_deliveries.ts';

/** What happens to a tank. The pictures need each kind, in numbers that do not change between runs. */
type Story = 'fine' | 'low' | 'due' | 'leak' | 'gauge' | 'silent' | 'refilled' | 'new';

export interface PictureFleet {
  organizationNo: number;
  code: string;
  key: string;
  /** Keys of customers, by what happens to their first tank. */
  ownerKeys: Partial<Record<Story, string>>;
  /** The key of the customer with several tanks. */
  severalKey: string;
  /** A tank of each story. */
  tankIds: Partial<Record<Story, string>>;
  /** The last tank of each story, which is another one if there are several. */
  lastTankIds: Partial<Record<Story, string>>;
  /** The customer with several tanks, or else the only one. */
  customer: { id: string; email: string };
  /** Only in the fleet of the worst day. */
  deliveries?: PictureDeliveries;
}

interface FleetOptions {
  code: string;
  name: string;
  tanks: number;
  stories: readonly Story[];
  country?: 'US' | 'MX';
}

/** The first customers have one tank each, one for each story. The others have two. */
const SINGLES = 8;
const customerAt = (tank: number): number => (tank < SINGLES ? tank : SINGLES + Math.floor((tank - SINGLES) / 2));

const NAMES = [
  'Casa',
  'Lake cabin',
  'Restaurant',
  'Greenhouse',
  'Boiler room',
  'Bakery',
  'Workshop',
  'Laundry',
  'Kiln',
];
const PEOPLE = [
  'María López Hernández',
  'Foods & Bakery Cooperative',
  'Dana Perkins',
  'Hotel Los Álamos',
  'Raúl Cruz Martínez',
  'Stowe Community Church',
  'Elena Vega Peña',
  'Ben Whitcomb',
  'Lavandería El Sol',
  'Mad River Brewing',
  'Ana Sofía Ruiz',
  'Cold Hollow Farm',
  'Omar Haddad',
];
const GIVEN_NAMES = ['Ruth', 'Luis', 'Nora', 'Paul', 'Inés', 'Omar', 'Grace', 'Henry', 'Sofía', 'Peter', 'Alma'];
const FAMILY_NAMES = [
  'Hill',
  'Ortega',
  'Baker',
  'Salas',
  'Lane',
  'Rojas',
  'Quinn',
  'Moore',
  'Ibarra',
  'Fox',
  'Nash',
  'Luna',
  'Reed',
];
/** The names of customers. The first ones occur in other texts; the 143 others all differ. */
const personAt = (at: number): string =>
  PEOPLE[at] ?? `${GIVEN_NAMES[at % GIVEN_NAMES.length]} ${FAMILY_NAMES[at % FAMILY_NAMES.length]}`;
let devices = 0;
/** Counts the devices of all fleets, so that no two fleets have the same device. */
function newDeviceId(): string {
  devices += 1;
  return `TW-${104_226 + 7 * devices}`;
}
const TOWNS = [
  { city: 'Stowe', latitude: 44.46, longitude: -72.68 },
  { city: 'Montpelier', latitude: 44.26, longitude: -72.58 },
  { city: 'St. Johnsbury', latitude: 44.42, longitude: -72.02 },
  { city: 'Barre', latitude: 44.2, longitude: -72.5 },
];

const CELAYA = { city: 'Celaya', latitude: 20.52, longitude: -100.81 };

const round = (fill: number): number => Math.round(fill * 10) / 10;

/** Makes a reading every `hours` hours. The levels fall by `perDay` points a day to `fill`. */
function falling(
  tankNo: number,
  fill: number,
  perDay: number,
  untilMs: number,
  days: number,
  hours: number,
): TankReading[] {
  const count = Math.floor((days * 24) / hours);
  return Array.from({ length: count + 1 }, (_, at) => {
    const left = (count - at) * hours;
    return { tankNo, atMs: untilMs - left * HOUR_MS, fillPercentage: round(Math.min(95, fill + (left / 24) * perDay)) };
  });
}

function readingsOf(story: Story, tankNo: number, at: number, nowMs: number, isLarge: boolean): TankReading[] {
  const [days, hours] = isLarge ? [14, 24] : [30, 1];
  const use = 0.6 + (at % 7) * 0.2;
  const endMs = nowMs - (at % 50) * 60_000;
  const fall = (fill: number, untilMs: number): TankReading[] => falling(tankNo, fill, use, untilMs, days, hours);
  const hourly = (count: number, levelOf: (hour: number) => number): TankReading[] =>
    Array.from({ length: count }, (_, hour) => ({
      tankNo,
      atMs: endMs - (count - 1 - hour) * HOUR_MS,
      fillPercentage: round(levelOf(hour + 1)),
    }));
  switch (story) {
    case 'low':
      return fall(6 + (at % 12), endMs);
    case 'due':
      return fall(20.4 + use * (1 + (at % 3)), endMs);
    case 'leak':
      return [...fall(64 - (at % 5), endMs - 9 * HOUR_MS), ...hourly(9, (hour) => 64 - (at % 5) - (30 / 9) * hour)];
    case 'gauge':
      return [...fall(52, endMs - 20 * HOUR_MS), ...hourly(20, () => 0)];
    case 'silent':
      return fall(26 + (at % 20), endMs - 17 * DAY_MS);
    case 'refilled':
      return [...fall(18 + (at % 10), endMs - 8 * HOUR_MS), ...hourly(8, (hour) => 80 - hour / 24)];
    case 'new':
      return [];
    case 'fine':
      return fall(35 + (at % 50), endMs);
    default:
      return story satisfies never;
  }
}

const COUNTRIES = {
  US: { language: 'en-US', timeZone: 'America/New_York', phone: '+1 802 555 0100' },
  MX: { language: 'es-MX', timeZone: 'America/Mexico_City', phone: '+52 461 555 0100' },
} as const;

/** Creates an organization with this number of tanks, whose stories repeat in this order. */
export async function createPictureFleet(
  owner: Pool,
  { code, name, tanks, stories, country = 'US' }: FleetOptions,
): Promise<PictureFleet> {
  const nowMs = Date.now();
  const storyOf = (at: number): Story => stories[at % stories.length] ?? 'fine';
  const emailOf = (at: number): string => `customer${at}.${code}@example.com`;
  const { organizationNo, customers, created } = await transaction(owner, async (tx) => {
    const no = await createOrganization(tx, { code, name, ...COUNTRIES[country] });
    const people = Array.from({ length: tanks === 0 ? 1 : customerAt(tanks - 1) + 1 }, (_, at) => ({
      name: personAt(at),
      email: emailOf(at),
      phone: `+1 802 555 ${String(1000 + (at % 9000)).padStart(4, '0')}`,
      external_key: `C-${1000 + at}`,
    }));
    const owners = await createCustomers(tx, no, people);
    const planned = Array.from({ length: tanks }, (_, at) => {
      const town = country === 'US' ? TOWNS[at % TOWNS.length] : CELAYA;
      return {
        owner_no: owners[customerAt(at)]?.no ?? 0,
        name: NAMES[at % NAMES.length] ?? '',
        custom_id: `T-${String(at + 1).padStart(4, '0')}`,
        assigned_device_id: newDeviceId(),
        capacity: [120, 250, 500, 1000][at % 4] ?? 500,
        capacity_unit: country === 'US' ? ('gallons' as const) : ('liters' as const),
        min_fill_alert_percentage: 20,
        street: country === 'US' ? 'Church Street' : 'Hidalgo',
        street_number: String(at + 1),
        ...(town && {
          city: town.city,
          latitude: town.latitude + (at % 11) * 0.01,
          longitude: town.longitude + (at % 7) * 0.01,
        }),
      };
    });
    return {
      organizationNo: no,
      customers: owners,
      created: planned.length === 0 ? [] : await createTanks(tx, no, planned),
    };
  });
  const ingester = new BatchIngester(owner);
  const isLarge = tanks > 100;
  const series = created.map((tank, at) => readingsOf(storyOf(at), tank.no, at, nowMs, isLarge));
  for (let at = 0; at < series.length; at += 20) {
    const readings = series.slice(at, at + 20).flat();
    if (readings.length > 0) await ingester.ingestReadings(readings);
  }
  await fireAllTimers(owner, nowMs);
  const keyOf = (customerNo?: number): Promise<string> =>
    transaction(owner, async (tx) => {
      const scope = customerNo === undefined ? {} : { customerNo };
      return (await issueKey(tx, { organizationNo, name: 'pictures', scopes: ['read'], ...scope })).text;
    });
  const several = customers[SINGLES] ?? customers[0];
  if (several === undefined) throw new Error('no customer');
  const fleet: PictureFleet = {
    organizationNo,
    code,
    key: await keyOf(),
    ownerKeys: {},
    severalKey: await keyOf(several.no),
    tankIds: {},
    lastTankIds: {},
    customer: { id: several.id, email: emailOf(customers.indexOf(several)) },
  };
  for (const story of new Set(stories)) {
    const at = created.findIndex((_, index) => storyOf(index) === story);
    const [tank, customer] = [created[at], customers[customerAt(at)]];
    if (tank === undefined || customer === undefined) continue;
    fleet.tankIds[story] = tank.id;
    fleet.lastTankIds[story] = created.findLast((_, index) => storyOf(index) === story)?.id ?? tank.id;
    fleet.ownerKeys[story] = await keyOf(customer.no);
  }
  return fleet;
}

/** 52 tanks on the worst day: a leak, and ten low tanks. The first eight have an owner each. */
export const WORST_DAY: readonly Story[] = [
  ...(['leak', 'low', 'gauge', 'silent', 'refilled', 'due', 'new', 'fine'] as const),
  ...([
    'low',
    'fine',
    'low',
    'low',
    'low',
    'due',
    'low',
    'low',
    'refilled',
    'low',
    'low',
    'low',
    'silent',
    'due',
  ] as const),
  ...Array.from({ length: 30 }, () => 'fine' as const),
];
export const CALM_DAY: readonly Story[] = ['fine', 'fine', 'fine', 'refilled'];
/** The stories of a large fleet. */
export const USUAL_DAY: readonly Story[] = [
  ...Array.from({ length: 17 }, () => 'fine' as const),
  ...(['low', 'due', 'refilled', 'silent', 'fine', 'low', 'fine'] as const),
];
