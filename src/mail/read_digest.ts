import type { Db } from '../db/pool.ts';
import type { EventData } from '../evaluation/pure/alerts/event_types.ts';
import { compareTanks, daysToRefill, isKnownLow, storedTanks } from '../fleet/refill_list.ts';
import { type CatalogTank, type TankOwner, type TankStatus, tankStatus } from '../fleet/tank_status.ts';

/** Tanks that likely reach their threshold within this many days are due. */
const DUE_DAYS = 3;
/**
 * How many tanks a section lists. Together they keep the mail below 100 KB: Gmail hides the rest of a longer mail.
 */
export const LISTED = { losing: 10, low: 34, due: 15, silent: 10, refilled: 10 } as const;

export interface DigestSection<Item> {
  /** The number of tanks, with those that are not listed. */
  total: number;
  listed: readonly Item[];
}

export interface DigestEvent<Type extends 'tank.rapid_loss' | 'tank.refilled'> {
  occurred_at: string;
  data: EventData[Type];
  tank: CatalogTank;
  owner: TankOwner;
}

export interface DigestTank extends TankStatus {
  /** It became low or silent after the last digest. */
  isNew: boolean;
}

/** What a digest says: tanks that lose gas, are low, due or silent now, and deliveries since the last digest. */
export interface Digest {
  losing: DigestSection<DigestEvent<'tank.rapid_loss'>>;
  /** Soonest to empty first. */
  low: DigestSection<DigestTank>;
  /** Soonest at their threshold first. */
  due: DigestSection<DigestTank>;
  /** Those that may be low first, then the latest to become silent. */
  silent: DigestSection<DigestTank>;
  refilled: DigestSection<DigestEvent<'tank.refilled'>>;
}

/** Events that were recorded after `fromMs` and up to `untilMs` are new. */
export interface DigestPeriod {
  fromMs: number;
  untilMs: number;
}

/**
 * Whether there is something to say. Devices that were silent in an earlier digest do not count alone: a device that is
 * out of order for weeks would otherwise cause a mail every day.
 */
export const isWorthSending = ({ losing, low, due, silent, refilled }: Digest): boolean =>
  losing.total + low.total + due.total + refilled.total > 0 || silent.listed.some(({ isNew }) => isNew);

export async function readDigest(db: Db, organizationNo: number, period: DigestPeriod, nowMs: number): Promise<Digest> {
  const [losing, refilled, becameLow, becameSilent] = await Promise.all([
    readEvents(db, organizationNo, period, 'tank.rapid_loss', LISTED.losing),
    readEvents(db, organizationNo, period, 'tank.refilled', LISTED.refilled),
    readNewTankIds(db, organizationNo, period, 'tank.low_fill'),
    readNewTankIds(db, organizationNo, period, 'tank.device_silent'),
  ]);
  const low = new TopList<DigestTank>(LISTED.low, compareTanks);
  const due = new TopList<DigestTank>(LISTED.due, compareTanks);
  const silent = new TopList<DigestTank>(LISTED.silent, bySilence(nowMs));
  for await (const stored of storedTanks(db, { organizationNo }, nowMs)) {
    const status = tankStatus(stored, nowMs);
    // A low tank needs a delivery, also if its device is silent since.
    if (isKnownLow(status)) low.add({ ...status, isNew: becameLow.has(status.tank.id) });
    else if (status.reason === 'silent') silent.add({ ...status, isNew: becameSilent.has(status.tank.id) });
    else if (daysToRefill(status, nowMs) <= DUE_DAYS) due.add({ ...status, isNew: false });
  }
  return { losing, low: low.section(), due: due.section(), silent: silent.section(), refilled };
}

const bySilence =
  (nowMs: number) =>
  (a: DigestTank, b: DigestTank): number => {
    const mayBeLow = (tank: DigestTank): boolean => daysToRefill(tank, nowMs) <= DUE_DAYS;
    return (
      Number(b.isNew) - Number(a.isNew) ||
      Number(mayBeLow(b)) - Number(mayBeLow(a)) ||
      (b.reading?.created_at ?? '').localeCompare(a.reading?.created_at ?? '')
    );
  };

/** Counts everything and keeps the first items only, because an organization may have a million silent devices. */
class TopList<Item> {
  readonly #limit: number;
  readonly #compare: (a: Item, b: Item) => number;
  #items: Item[] = [];
  #total = 0;

  constructor(limit: number, compare: (a: Item, b: Item) => number) {
    this.#limit = limit;
    this.#compare = compare;
  }

  add(item: Item): void {
    this.#total++;
    this.#items.push(item);
    if (this.#items.length > 20 * this.#limit) this.#items = this.#first();
  }

  section(): DigestSection<Item> {
    return { total: this.#total, listed: this.#first() };
  }

  #first(): Item[] {
    return this.#items.toSorted(this.#compare).slice(0, this.#limit);
  }
}

/**
 * SQL condition: the event was recorded in the period ($2, $3) and is sent to people. Such an event happened at most 24
 * hours before it was recorded, which limits the scan of the index to two days.
 */
const IS_NEW_SQL = `e.organization_no = $1 and e.occurred_at > $2::timestamptz - interval '25 hours'
  and e.recorded_at > $2 and e.recorded_at <= $3 and e.notify and e.retracted_at is null`;

const timesOf = ({ fromMs, untilMs }: DigestPeriod): [string, string] => [
  new Date(fromMs).toISOString(),
  new Date(untilMs).toISOString(),
];

/** The events of a type in the period, latest first. */
async function readEvents<Type extends 'tank.rapid_loss' | 'tank.refilled'>(
  db: Db,
  organizationNo: number,
  period: DigestPeriod,
  type: Type,
  limit: number,
): Promise<DigestSection<DigestEvent<Type>>> {
  const { rows } = await db.query<DigestEvent<Type> & { total: number }>(
    `select e.occurred_at, e.data, to_json(t) as tank, count(*) over () as total,
            json_build_object('id', c.id, 'external_key', c.external_key, 'name', c.name, 'phone', c.phone) as owner
     from events e
     join tanks t on t.no = e.tank_no and t.deleted_at is null
     join customers c on c.no = t.owner_no
     where ${IS_NEW_SQL} and e.type = $4
     order by e.occurred_at desc, e.no desc limit $5`,
    [organizationNo, ...timesOf(period), type, limit],
  );
  return { total: rows[0]?.total ?? 0, listed: rows };
}

async function readNewTankIds(
  db: Db,
  organizationNo: number,
  period: DigestPeriod,
  type: 'tank.low_fill' | 'tank.device_silent',
): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>(
    `select distinct t.id from events e join tanks t on t.no = e.tank_no where ${IS_NEW_SQL} and e.type = $4`,
    [organizationNo, ...timesOf(period), type],
  );
  return new Set(rows.map(({ id }) => id));
}
