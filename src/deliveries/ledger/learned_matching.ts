import { isDeepStrictEqual } from 'node:util';
import type { Tx } from '../../db/pool.ts';
import { MAX_MATCH_HOURS } from '../../values/match_hours.ts';
import { clockShiftsOf } from '../pure/notes/clock_shifts.ts';
import type { NoteDoubts } from '../pure/notes/note_verdict.ts';
import { learnRefillSpread, type RefillSpread } from '../pure/notes/refill_spread.ts';
import type { DriverDelivery } from '../pure/truck_meters/differing_trucks.ts';
import { learnNoteDoubts } from '../pure/truck_meters/note_doubts.ts';
import type { MatchingParameters } from './customer_ledger.ts';
import { LATEST_NOTE_AT } from './ledger_inputs.ts';
import { COMPARED_COLUMNS } from './ledger_totals.ts';

/** Increase it when a change of the code changes verdicts: the ledgers of all customers are made again. */
export const LEDGER_VERSION = 3;

/**
 * The largest number of notes to learn from, newest first, so that learning takes the same time in an organization with
 * a million notes.
 */
const MAX_LEARNED_NOTES = 20_000;
/** Spreads are rounded to this step, because every new value rebuilds all ledgers of the organization. */
const SPREAD_STEP = 0.002;
const OFFSET_STEP = 0.005;

export interface StoredMatchingParameters extends MatchingParameters {
  version: number;
  beginsAt: string | null;
  isOutdated: boolean;
  /** Milliseconds since the spread and the clock shifts were last learned. */
  learnedMsAgo: number;
}

export const roundSpread = ({ betweenTanks, withinTank }: RefillSpread): RefillSpread => ({
  betweenTanks: toStep(betweenTanks),
  withinTank: toStep(withinTank),
});
const toStep = (value: number, step = SPREAD_STEP): number => Math.round(value / step) * step;

export const roundDoubts = ({ common: { offset, isOff }, ...doubts }: NoteDoubts): NoteDoubts => ({
  ...doubts,
  // Not -0, which differs from 0 if it is compared by content.
  common: { offset: toStep(offset, OFFSET_STEP) || 0, isOff },
});

/** Reads the learned parameters of the organization. The row is created with its first note. */
export async function readMatchingParameters(tx: Tx, organizationNo: number): Promise<StoredMatchingParameters | null> {
  const { rows } = await tx.query<{
    version: number;
    begins_at: string | null;
    clock_shifts: Record<string, number>;
    between_tanks: number;
    within_tank: number;
    common_offset: number;
    is_off: boolean;
    differing_truck_nos: number[];
    differing_driver_nos: number[];
    is_outdated: boolean;
    learned_ms_ago: number;
  }>(
    `select version, begins_at, clock_shifts, between_tanks, within_tank, common_offset, is_off, differing_truck_nos,
            differing_driver_nos, is_outdated, (extract(epoch from now() - learned_at) * 1000)::float8 as learned_ms_ago
     from ledger_organizations where organization_no = $1`,
    [organizationNo],
  );
  const [row] = rows;
  if (row === undefined) return null;
  return {
    version: row.version,
    beginsAt: row.begins_at,
    clockShifts: new Map(Object.entries(row.clock_shifts)),
    spread: roundSpread({ betweenTanks: row.between_tanks, withinTank: row.within_tank }),
    doubts: roundDoubts({
      common: { offset: row.common_offset, isOff: row.is_off },
      truckIds: new Set(row.differing_truck_nos.map(String)),
      driverIds: new Set(row.differing_driver_nos.map(String)),
    }),
    isOutdated: row.is_outdated,
    learnedMsAgo: row.learned_ms_ago,
  };
}

export async function createMatchingParameters(tx: Tx, organizationNo: number): Promise<StoredMatchingParameters> {
  const { betweenTanks, withinTank } = roundSpread(learnRefillSpread([]));
  await tx.query(
    `insert into ledger_organizations (organization_no, version, between_tanks, within_tank) values ($1, $2, $3, $4)`,
    [organizationNo, LEDGER_VERSION, betweenTanks, withinTank],
  );
  return {
    version: LEDGER_VERSION,
    beginsAt: null,
    clockShifts: new Map(),
    spread: { betweenTanks, withinTank },
    doubts: learnNoteDoubts([]),
    isOutdated: true,
    learnedMsAgo: Number.POSITIVE_INFINITY,
  };
}

/**
 * The time from which refills need a note: MAX_MATCH_HOURS before the first delivery note of the organization, or null if it
 * has none. Notes dated before 2000 have a wrong year and are ignored; otherwise every older refill would be reported
 * as missing its note.
 */
export async function readBeginning(tx: Tx, organizationNo: number): Promise<string | null> {
  const { rows } = await tx.query<{ begins_at: string | null }>(
    `select (min(at) - interval '${MAX_MATCH_HOURS} hours')::timestamptz(3) as begins_at from delivery_notes
     where organization_no = $1 and not is_cancelled and at between '2000-01-01T00:00:00Z' and ${LATEST_NOTE_AT}`,
    [organizationNo],
  );
  return rows[0]?.begins_at ?? null;
}

/**
 * Learns the clocks, the spread and the doubts from the stored ledgers, and marks all customers if something has
 * changed. Clock shifts are learned from uncorrected times, and matching uses neither the spread nor the doubts, so the
 * process converges: the third run changes nothing.
 */
export async function learnMatchingParameters(
  tx: Tx,
  organizationNo: number,
  known: StoredMatchingParameters,
): Promise<void> {
  const beginsAt = await readBeginning(tx, organizationNo);
  const { rows: samples } = await tx.query<{ truckId: string; shiftMs: number }>(
    `select truck_no::text as "truckId", shift_ms as "shiftMs" from ledger_clock_samples
     where organization_no = $1 order by at desc, note_no limit $2`,
    [organizationNo, MAX_LEARNED_NOTES],
  );
  const clockShifts = clockShiftsOf(samples);
  const compared = await readCompared(tx, organizationNo);
  const spread = roundSpread(learnRefillSpread(compared));
  const doubts = roundDoubts(learnNoteDoubts(compared));
  // Compared by content, because jsonb returns the clocks in another order.
  const isKnown = isDeepStrictEqual([known.clockShifts, known.spread, known.doubts], [clockShifts, spread, doubts]);
  const hasNewRefills = known.beginsAt !== beginsAt || known.version !== LEDGER_VERSION;
  if (hasNewRefills || !isKnown) await markCustomers(tx, organizationNo, hasNewRefills ? beginsAt : null);
  await tx.query(
    `update ledger_organizations set version = $2, begins_at = $3, clock_shifts = $4, between_tanks = $5, within_tank = $6,
       common_offset = $7, is_off = $8, differing_truck_nos = $9, differing_driver_nos = $10, is_outdated = false, learned_at = now()
     where organization_no = $1`,
    [
      organizationNo,
      LEDGER_VERSION,
      beginsAt,
      JSON.stringify(Object.fromEntries(clockShifts)),
      spread.betweenTanks,
      spread.withinTank,
      doubts.common.offset,
      doubts.common.isOff,
      [...doubts.truckIds].map(Number),
      [...doubts.driverIds].map(Number),
    ],
  );
}

async function readCompared(tx: Tx, organizationNo: number): Promise<DriverDelivery[]> {
  const { rows } = await tx.query<DriverDelivery>(
    `select ${COMPARED_COLUMNS} from ledger_entries
     where organization_no = $1 and is_compared order by at desc, id desc limit $2`,
    [organizationNo, MAX_LEARNED_NOTES],
  );
  return rows;
}

/** Marks all customers with a note or an entry of the ledger, and those with refills since a time. */
async function markCustomers(tx: Tx, organizationNo: number, refillsSince: string | null): Promise<void> {
  await tx.query(
    `insert into ledger_marks (organization_no, customer_no)
     select $1, customer_no from (
       select customer_no from ledger_entries where organization_no = $1
       union
       select customer_no from delivery_notes where organization_no = $1
       union
       select t.owner_no from events e join tanks t on t.no = e.tank_no
       where e.organization_no = $1 and e.type = 'tank.refilled' and e.occurred_at >= $2::timestamptz
     ) as customers
     order by customer_no`,
    [organizationNo, refillsSince ?? 'infinity'],
  );
}
