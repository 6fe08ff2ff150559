import type { Db } from '../db/pool.ts';
import { type RoundsOfDay, readRoundsOfYesterday } from '../deliveries/rounds_of_day.ts';
import type { VerdictCode } from '../deliveries/verdict_texts.ts';
import type { EventData, EventType } from '../evaluation/pure/alerts/event_types.ts';
import { compareTanks, storedTanks } from '../status/refill_list.ts';
import { DUE_DAYS } from '../status/sections.ts';
import { type CatalogTank, type TankOwner, type TankStatus, tankStatus } from '../status/tank_status.ts';
import type { NoteCounts } from './translation.ts';

/** The largest number of tanks in each section. They keep the mail below 100 KB, because Gmail hides the rest of a longer mail. */
export const MAX_LISTED_TANKS = { losing: 10, low: 29, gauge: 5, due: 12, silent: 10, refilled: 10 } as const;

export interface DigestSection<Item> {
  /** The number of tanks, including those that are not listed. */
  total: number;
  listed: readonly Item[];
}

export interface DigestRefill {
  occurred_at: string;
  data: EventData['tank.refilled'];
  tank: CatalogTank;
  owner: TankOwner;
}

export interface DigestTank extends TankStatus {
  /** True if the tank began to lose gas, became low or silent, or its gauge became unreliable after the last digest. */
  isNew: boolean;
}

/**
 * The content of a digest: tanks that lose gas, are low, have an unreliable gauge, are due or silent now, and deliveries
 * since the last digest. The sections are those of the console, except that all silent tanks are in one section.
 */
export interface Digest {
  /** Soonest to empty first. */
  losing: DigestSection<DigestTank>;
  /** Soonest to empty first. */
  low: DigestSection<DigestTank>;
  gauge: DigestSection<DigestTank>;
  /** Soonest at their threshold first. */
  due: DigestSection<DigestTank>;
  /** New ones come first, then tanks that may be low, then those that became silent last. */
  silent: DigestSection<DigestTank>;
  refilled: DigestSection<DigestRefill>;
  /** The stops of yesterday's rounds; null if there were none. */
  rounds: RoundsOfDay | null;
  /** The verdicts since the last digest; undefined if there are none. */
  notes?: DigestNotes;
  /** The number of handled tanks. They are in no section. */
  handled: number;
}

/** The number of entries by verdict, and the common offset of all gauges, as the logarithm of gauge / note. */
export type DigestNotes = NoteCounts & { commonOffset: number | null };

/** Events that were recorded after `fromMs` and up to `untilMs` are new. */
export interface DigestPeriod {
  fromMs: number;
  untilMs: number;
}

/**
 * Returns true if the digest has more than known faults. Silent devices and unreliable gauges count only if they are new:
 * otherwise a device that is broken for weeks would cause a mail every day.
 */
export const isWorthSending = ({ losing, low, gauge, due, silent, refilled, rounds, notes }: Digest): boolean =>
  losing.total + low.total + due.total + refilled.total > 0 ||
  rounds !== null ||
  (notes !== undefined && notes.not_consistent + notes.note_without_refill + notes.refill_without_note > 0) ||
  [...silent.listed, ...gauge.listed].some(({ isNew }) => isNew);

export async function readDigest(db: Db, organizationNo: number, period: DigestPeriod, nowMs: number): Promise<Digest> {
  const newTanks = (type: EventType) => readNewTankIds(db, organizationNo, period, type);
  const [rounds, refilled, notes, beganToLose, becameLow, becameSilent, becameUnreliable] = await Promise.all([
    readRoundsOfYesterday(db, organizationNo, nowMs),
    readRefills(db, organizationNo, period),
    readNotes(db, organizationNo, period),
    newTanks('tank.rapid_loss'),
    newTanks('tank.low_fill'),
    newTanks('tank.device_silent'),
    newTanks('tank.gauge_unreliable'),
  ]);
  const losing = new TopList<DigestTank>(MAX_LISTED_TANKS.losing, compareTanks);
  const low = new TopList<DigestTank>(MAX_LISTED_TANKS.low, compareTanks);
  const gauge = new TopList<DigestTank>(MAX_LISTED_TANKS.gauge, compareTanks);
  const due = new TopList<DigestTank>(MAX_LISTED_TANKS.due, compareTanks);
  const silent = new TopList<DigestTank>(MAX_LISTED_TANKS.silent, compareSilent);
  let handled = 0;
  for await (const stored of storedTanks(db, { organizationNo, withinDays: DUE_DAYS - 1 }, nowMs)) {
    const status = tankStatus(stored, nowMs);
    const { section, reason, tank } = status;
    if (section === 'losing') losing.add({ ...status, isNew: beganToLose.has(tank.id) });
    // A low tank needs a delivery, even if its device has become silent.
    else if (section === 'low') low.add({ ...status, isNew: becameLow.has(tank.id) });
    else if (section === 'gauge') gauge.add({ ...status, isNew: becameUnreliable.has(tank.id) });
    else if (section === 'handled') handled++;
    else if (reason === 'silent') silent.add({ ...status, isNew: becameSilent.has(tank.id) });
    else if (section === 'due' || (section === 'unusual_use' && stored.isWithinDays))
      due.add({ ...status, isNew: false });
  }
  return {
    losing: losing.section(),
    low: low.section(),
    gauge: gauge.section(),
    due: due.section(),
    silent: silent.section(),
    refilled,
    rounds,
    ...(notes === undefined ? {} : { notes }),
    handled,
  };
}

/** Compares silent tanks. New ones come first, then tanks that may be low now or soon. */
function compareSilent(a: DigestTank, b: DigestTank): number {
  const mayBeLow = ({ section }: DigestTank): boolean => section === 'silent_low' || section === 'due';
  return (
    Number(b.isNew) - Number(a.isNew) ||
    Number(mayBeLow(b)) - Number(mayBeLow(a)) ||
    (b.reading?.created_at ?? '').localeCompare(a.reading?.created_at ?? '')
  );
}

/** Counts all items and keeps only the first ones, because an organization may have a million silent devices. */
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
 * SQL condition: the event was recorded in the period ($2, $3) and people are notified of it. Such an event happened at
 * most 24 hours before it was recorded, which limits the scan of the index to two days.
 */
const IS_NEW_SQL = `e.organization_no = $1 and e.occurred_at > $2::timestamptz - interval '25 hours'
  and e.recorded_at > $2 and e.recorded_at <= $3 and e.notify and e.retracted_at is null`;

const timesOf = ({ fromMs, untilMs }: DigestPeriod): [string, string] => [
  new Date(fromMs).toISOString(),
  new Date(untilMs).toISOString(),
];

/** Reads the refills of the period, latest first. */
async function readRefills(db: Db, organizationNo: number, period: DigestPeriod): Promise<DigestSection<DigestRefill>> {
  const { rows } = await db.query<DigestRefill & { total: number }>(
    `select e.occurred_at, e.data, to_json(t) as tank, count(*) over () as total,
            json_build_object('id', c.id, 'external_key', c.external_key, 'name', c.name, 'phone', c.phone) as owner
     from events e
     join tanks t on t.no = e.tank_no and t.deleted_at is null
     join customers c on c.no = t.owner_no
     where ${IS_NEW_SQL} and e.type = 'tank.refilled'
     order by e.occurred_at desc, e.no desc limit $4`,
    [organizationNo, ...timesOf(period), MAX_LISTED_TANKS.refilled],
  );
  return { total: rows[0]?.total ?? 0, listed: rows };
}

/**
 * Counts the verdicts of the period ($2, $3) on notes of the last four days, because a gauge that reports once a day needs
 * two days for a verdict. Verdicts on older notes were in an earlier digest; learning parameters computes them again.
 */
async function readNotes(db: Db, organizationNo: number, period: DigestPeriod): Promise<DigestNotes | undefined> {
  const { rows } = await db.query<{ verdict: VerdictCode; entries: number; common_offset: number | null }>(
    `select verdict, count(*) as entries,
            (select common_offset from ledger_organizations where organization_no = $1 and is_off) as common_offset
     from ledger_entries
     where organization_no = $1 and at > $2::timestamptz - interval '4 days' and made_at > $2 and made_at <= $3
       and verdict <> 'waiting'
     group by verdict`,
    [organizationNo, ...timesOf(period)],
  );
  const [first] = rows;
  if (first === undefined) return undefined;
  const countOf = (verdict: VerdictCode): number => rows.find((row) => row.verdict === verdict)?.entries ?? 0;
  return {
    consistent: countOf('consistent'),
    not_consistent: countOf('not_consistent'),
    cannot_be_told: countOf('cannot_be_told'),
    note_without_refill: countOf('note_without_refill'),
    refill_without_note: countOf('refill_without_note'),
    commonOffset: first.common_offset,
  };
}

async function readNewTankIds(
  db: Db,
  organizationNo: number,
  period: DigestPeriod,
  type: EventType,
): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>(
    `select distinct t.id from events e join tanks t on t.no = e.tank_no where ${IS_NEW_SQL} and e.type = $4`,
    [organizationNo, ...timesOf(period), type],
  );
  return new Set(rows.map(({ id }) => id));
}
