import type { CustomerToCreate } from '../src/catalog/customers.ts';
import type { NewTank } from '../src/catalog/tanks.ts';
import type { UseCase } from '../src/catalog/use_case.ts';
import { type Habits, planHabits } from '../src/simulation/habits.ts';
import { planLife, type TankLife } from '../src/simulation/life.ts';
import { Random } from '../src/simulation/random.ts';
import { HOUR_MS } from '../src/values/time.ts';

export interface Region {
  country: string;
  timeZone: string;
  unit: NewTank['capacity_unit'];
  phone: string;
  capacities: Record<UseCase, readonly [number, ...number[]]>;
  firstNames: readonly [string, ...string[]];
  lastNames: readonly [string, ...string[]];
  businesses: readonly [string, ...string[]];
  streets: readonly [string, ...string[]];
  places: readonly [Place, ...Place[]];
}

interface Place {
  city: string;
  region: string;
  postalCode: string;
  latitude: number;
  longitude: number;
  districts: readonly [string, ...string[]];
}

export interface PlannedCustomer {
  customer: CustomerToCreate;
  tanks: PlannedTank[];
}

export interface PlannedTank {
  tank: Omit<NewTank, 'owner_no'>;
  life: TankLife;
  habits: Habits;
}

/** Plans a realistic customer base: mostly homes with one tank, some businesses, a few plants with several tanks. */
export function planFleet(
  seed: number,
  region: Region,
  customers: number,
  fromMs: number,
  toMs: number,
): PlannedCustomer[] {
  const random = new Random(seed);
  return Array.from({ length: customers }, (_, number) => {
    const useCase = random.pick(['residential', 'residential', 'residential', 'commercial', 'industrial'] as const);
    const createdMs = Math.floor(random.between(fromMs, toMs));
    const customer = planCustomer(random, region, useCase, number, createdMs);
    const tankCount = { residential: 1, commercial: random.whole(1, 2), industrial: random.whole(1, 4) }[useCase];
    const tanks = Array.from({ length: tankCount }, (__, index) => {
      const minutesLater = Math.floor(random.between(1, 180)) * 60_000;
      const tank = planTank(random, region, useCase, `${number + 1}-${index + 1}`, createdMs + minutesLater);
      // These random numbers are those of `tankwatch simulate`, which continues this tank after the end of its history.
      const deviceRandom = Random.named(seed, tank.assigned_device_id);
      const life = planLife(deviceRandom, {
        useCase,
        alertPercentage: tank.min_fill_alert_percentage,
        longitude: tank.longitude,
      });
      return { tank, life, habits: planHabits(deviceRandom) };
    });
    return { customer, tanks };
  });
}

function planCustomer(
  random: Random,
  region: Region,
  useCase: UseCase,
  number: number,
  createdMs: number,
): CustomerToCreate {
  const first = random.pick(region.firstNames);
  const last = random.pick(region.lastNames);
  const name = useCase === 'residential' ? `${first} ${last}` : `${random.pick(region.businesses)} ${last}`;
  const isVerified = random.chance(0.8);
  const ascii = `${first}.${last}`.normalize('NFD').replace(/[^A-Za-z.]/g, '');
  return {
    name,
    email: `${ascii.toLowerCase()}${number}@example.com`,
    phone: random.chance(0.9) ? `${region.phone} ${random.whole(2_000_000, 9_999_999)}` : null,
    external_key: `C-${String(10_000 + number)}`,
    is_verified: isVerified,
    // Some customers were verified in the system they were imported from, without a recorded time.
    verified_at: isVerified && random.chance(0.9) ? iso(createdMs + random.whole(1, 72) * HOUR_MS) : null,
    created_at: iso(createdMs),
  };
}

function planTank(random: Random, region: Region, useCase: UseCase, customId: string, createdMs: number) {
  const threshold = random.pick([15, 20, 20, 25, 30]);
  const place = random.pick(region.places);
  return {
    assigned_device_id: `${random.pick(['TG', 'LX', 'NB'])}${random.whole(0x100000, 0xffffff).toString(16).toUpperCase()}`,
    capacity: random.pick(region.capacities[useCase]),
    capacity_unit: region.unit,
    min_fill_alert_percentage: threshold,
    name: random.pick(TANK_NAMES[useCase]),
    custom_id: random.chance(0.7) ? customId : null,
    use_case: random.chance(0.95) ? useCase : null,
    ...planLocation(random, region, place),
    created_at: iso(createdMs),
  };
}

function planLocation(random: Random, region: Region, place: Place) {
  return {
    city: place.city,
    country: region.country,
    district: random.chance(0.8) ? random.pick(place.districts) : null,
    latitude: Number((place.latitude + random.noise(0.03)).toFixed(5)),
    longitude: Number((place.longitude + random.noise(0.03)).toFixed(5)),
    postal_code: place.postalCode,
    region: place.region,
    street: random.pick(region.streets),
    street_number: random.chance(0.9) ? String(random.whole(1, 2_900)) : null,
  };
}

const TANK_NAMES = {
  residential: ['House', 'Kitchen and boiler', 'Cabin', 'Pool heater'],
  commercial: ['Kitchen', 'Laundry', 'Bakery oven', 'Roof tank'],
  industrial: ['Kiln', 'Dryer', 'Forklift station', 'Boiler room', 'Yard tank'],
} as const;

const iso = (ms: number): string => new Date(ms).toISOString();
