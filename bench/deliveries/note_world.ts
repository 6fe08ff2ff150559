import { type DeliveryNote, refillKey, type SeenRefill } from '../../src/deliveries/pure/notes/delivery_note.ts';
import { Random } from '../../src/simulation/random.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';

/** How wrong the clocks are. Mixed: one truck is 6 hours slow, one an hour fast, and a tenth of the notes is off by up to 6 hours. */
export type Clocks = 'right' | 'mixed' | 'random';

export interface WorldOptions {
  clocks?: Clocks;
  customers?: number;
  splitShare?: number;
  missingNoteShare?: number;
  missingRefillShare?: number;
  shortShare?: number;
}

/** What really belongs together: ids of notes, keys of refills. */
export interface TrueGroup {
  notes: string[];
  refills: string[];
}

export interface NoteWorld {
  notes: DeliveryNote[];
  refills: SeenRefill[];
  truth: TrueGroup[];
}

const STARTS_MS = Date.UTC(2025, 10, 1);
const DAYS = 90;

/**
 * Three months of deliveries: customers with two tanks, with deliveries every other day, split notes, one note for two tanks,
 * notes that name no tank, and notes and refills that are missing.
 */
export function makeNoteWorld(seed: number, options: WorldOptions = {}): NoteWorld {
  const random = new Random(seed);
  const world: NoteWorld = { notes: [], refills: [], truth: [] };
  for (let customer = 0; customer < (options.customers ?? 300); customer++)
    addCustomer(random, world, customer, options);
  return world;
}

interface Part {
  tank: number;
  liters: number;
  atMs: number;
  refill: SeenRefill | null;
}

function addCustomer(random: Random, world: NoteWorld, customer: number, options: WorldOptions): void {
  const tanks = random.chance(0.12) ? 2 : 1;
  const everyDays = random.pickShare(
    [random.between(15, 40), 0.75],
    [random.between(5, 10), 0.15],
    [random.between(2, 4), 0.1],
  );
  const cadenceHours = random.pickShare([1, 0.3], [6, 0.45], [24, 0.25]);
  const hasNames = random.chance(0.5);
  const capacities = Array.from({ length: tanks }, () => random.pick([300, 500, 1_000, 2_800]));
  const errors = capacities.map(() => 0.04 * random.normal());
  let nextMs = STARTS_MS + random.between(0, everyDays) * DAY_MS;
  while (nextMs < STARTS_MS + DAYS * DAY_MS) {
    const atMs = Math.floor(nextMs / DAY_MS) * DAY_MS + random.between(14, 24) * HOUR_MS;
    const truck = random.whole(0, 2);
    const filled = capacities.map((_, tank) => tank).filter(() => tanks === 1 || random.chance(0.7));
    const parts = (filled.length === 0 ? [0] : filled).map((tank, number): Part => {
      const capacityLiters = capacities[tank] ?? 500;
      const liters = capacityLiters * random.between(0.25, 0.65);
      const partMs = atMs + number * 0.25 * HOUR_MS;
      const fromMs = Math.round(partMs - random.next() * cadenceHours * HOUR_MS);
      const refill = makeRefill(customer, tank, fromMs, fromMs + cadenceHours * HOUR_MS, capacityLiters);
      refill.liters = liters * (1 + (errors[tank] ?? 0) + 0.02 * random.normal());
      const isSeen = !random.chance(options.missingRefillShare ?? 0.04);
      if (isSeen) world.refills.push(refill);
      return { tank, liters, atMs: partMs, refill: isSeen ? refill : null };
    });
    const short = random.chance(options.shortShare ?? 0) ? random.between(0.1, 0.3) : 0;
    const writer = new NoteWriter(random, world, options, { customer, truck, short });
    if (parts.length === 2 && random.chance(0.5)) writer.write(parts, null);
    else for (const part of parts) writer.write([part], hasNames ? part.tank : null);
    nextMs += everyDays * DAY_MS * random.between(0.7, 1.3);
  }
}

function makeRefill(customer: number, tank: number, fromMs: number, toMs: number, capacityLiters: number): SeenRefill {
  return {
    tankId: `t${customer}-${tank}`,
    customerId: `c${customer}`,
    atMs: toMs,
    fromMs,
    toMs,
    liters: 0,
    beforePercentage: 20,
    afterPercentage: 80,
    capacityLiters,
    noisePoints: 0.5,
    usePointsPerDay: 2,
    cadenceMs: toMs - fromMs,
    isGaugeReliable: true,
  };
}

interface Stop {
  customer: number;
  truck: number;
  /** The share of the volume on the note that was not delivered. */
  short: number;
}

class NoteWriter {
  readonly #random: Random;
  readonly #world: NoteWorld;
  readonly #options: WorldOptions;
  readonly #stop: Stop;

  constructor(random: Random, world: NoteWorld, options: WorldOptions, stop: Stop) {
    this.#random = random;
    this.#world = world;
    this.#options = options;
    this.#stop = stop;
  }

  write(parts: readonly Part[], tank: number | null): void {
    const { customer, truck, short } = this.#stop;
    const seen = parts.flatMap(({ refill }) => (refill === null ? [] : [refillKey(refill)]));
    if (this.#random.chance(this.#options.missingNoteShare ?? 0.04)) {
      this.#world.truth.push(...seen.map((key) => ({ notes: [], refills: [key] })));
      return;
    }
    const liters = parts.reduce((sum, part) => sum + part.liters, 0) / (1 - short);
    const shares = this.#random.chance(this.#options.splitShare ?? 0.03) ? [0.4, 0.6] : [1];
    const notes = shares.map((share, number) => {
      const atMs = this.#stamp((parts[0]?.atMs ?? 0) + number * 0.2 * HOUR_MS);
      const id = String(1_000 + this.#world.notes.length);
      this.#world.notes.push({
        id,
        customerId: `c${customer}`,
        tankId: tank === null ? null : `t${customer}-${tank}`,
        truckId: String(truck),
        fromMs: atMs,
        toMs: atMs,
        liters: Math.round(liters * share),
        isCompensated: false,
        productCelsius: null,
        airCelsius: null,
      });
      return id;
    });
    this.#world.truth.push({ notes, refills: seen });
  }

  #stamp(atMs: number): number {
    const clocks = this.#options.clocks ?? 'mixed';
    const randomErrorMs = (): number => this.#random.between(-6, 6) * HOUR_MS;
    if (clocks === 'right') return Math.round(atMs);
    if (clocks === 'random') return Math.round(atMs + randomErrorMs());
    const truckMs = [0, -6 * HOUR_MS, HOUR_MS][this.#stop.truck] ?? 0;
    const lateMs = this.#random.between(-0.3, 0.3) * HOUR_MS + (this.#random.chance(0.1) ? randomErrorMs() : 0);
    return Math.round(atMs + truckMs + lateMs);
  }
}
