import type { ChangeContext } from '../catalog/change_context.ts';
import { readTimeZone } from '../catalog/organizations.ts';
import { insertRow } from '../db/insert_row.ts';
import { productSql } from '../status/product_fields.ts';
import { litersPerUnitSql } from '../values/capacity_unit.ts';
import { type FieldProblem, refuseProblems } from '../values/change_refusal.ts';
import { PRODUCT_NAMES, PRODUCTS } from '../values/products.ts';
import { uuid7 } from '../values/uuid7.ts';
import { DEFAULT_FILL_TO, DEFAULT_LIMIT } from './pure/rounds/round_candidates.ts';
import type { RoundState } from './round.ts';
import { dayBounds, isDate } from './round_day.ts';
import { decideState, refuseOver } from './round_state.ts';
import { type GivenStop, replaceStops } from './round_stops.ts';
import { existingRound, type Round, type StoredRound } from './rounds.ts';
import { findUsable } from './usable_transport.ts';
import { readVroomOrder } from './vroom_round.ts';

/** The fields of a round that a caller can plan, besides its stops. */
export type RoundPlan = Pick<Round, 'date' | 'truck_id' | 'driver_id' | 'fill_to_percentage' | 'chance_limit'>;

/** Checks a round before it is changed, under its lock. Throws, for example, if it has changed. */
export type Check = (current: StoredRound) => void;

/** Creates a planned round of one truck on one day, with its stops in their order. Returns its id. */
export async function createRound(
  change: ChangeContext,
  {
    stops = [],
    driver_id = null,
    fill_to_percentage = DEFAULT_FILL_TO,
    chance_limit = DEFAULT_LIMIT,
    ...plan
  }: Partial<RoundPlan> & Pick<RoundPlan, 'date' | 'truck_id'> & { stops?: readonly GivenStop[] | undefined },
): Promise<string> {
  const { tx, organizationNo, isDryRun } = change;
  const columns = await columnsOf(change, { driver_id, fill_to_percentage, chance_limit, ...plan });
  const id = uuid7();
  const names = ['id', 'organization_no', ...columns.keys()];
  await tx.query(insertRow('rounds', names, { isDryRun }), [id, organizationNo, ...columns.values()]);
  if (stops.length > 0) await replaceStops(change, await existingRound(tx, organizationNo, id), stops);
  return id;
}

/** Changes the given fields of the plan or the state of a round. Nothing is written if nothing changes. */
export async function updateRound(
  change: ChangeContext,
  id: string,
  { state, ...plan }: Partial<RoundPlan> & { state?: RoundState | undefined },
  check?: Check,
): Promise<void> {
  const { tx, organizationNo } = change;
  const columns = await columnsOf(change, plan);
  const round = await existingRound(tx, organizationNo, id, { isLocked: true });
  check?.(round);
  if (columns.size > 0) {
    refuseOver(round);
    const names = [...columns.keys()];
    const value = (name: string): string =>
      `$${names.indexOf(name) + 2}${name === 'fill_to_percentage' || name === 'chance_limit' ? '::real' : ''}`;
    // The link of a driver who is replaced ends.
    const endLinks = columns.has('driver_no')
      ? `, link_generation = link_generation + (driver_no is not null and driver_no is distinct from ${value('driver_no')})::int`
      : '';
    await tx.query(
      `update rounds set ${names.map((name) => `${name} = ${value(name)}`).join(', ')},
         version = version + 1, updated_at = now()${endLinks}
       where no = $1 and (${names.map((name) => `${name} is distinct from ${value(name)}`).join(' or ')})`,
      [round.no, ...columns.values()],
    );
    if (plan.fill_to_percentage !== undefined) await changePlannedVolumes(change, round, plan.fill_to_percentage);
  }
  if (state !== undefined && state !== round.object.state) await decideState(change, round, state);
}

/**
 * Changes the planned volumes of the open stops to another fill level. Volumes that a person chose stay, and so do the
 * volumes of tanks that are not filled to the level of the round.
 */
async function changePlannedVolumes({ tx }: ChangeContext, { no, object }: StoredRound, fillTo: number): Promise<void> {
  const gases = PRODUCT_NAMES.filter((product) => PRODUCTS[product].hazard === 'gas');
  await tx.query(
    `update round_stops s
     set litres = greatest(0, s.litres + $2::double precision / 100 * t.capacity * ${litersPerUnitSql('t.capacity_unit')})
     from tanks t where t.no = s.tank_no and s.round_no = $1 and s.is_open and not s.is_volume_typed and $2::double precision <> 0
       and ${productSql('t')} = any ($3) and t.fill_limit_percentage is null`,
    [no, fillTo - object.fill_to_percentage, gases],
  );
}

/** The columns of the given fields. An archived truck or driver keeps its rounds and gets no new ones. */
async function columnsOf(
  change: ChangeContext,
  { date, truck_id, driver_id, fill_to_percentage, chance_limit }: Partial<RoundPlan>,
): Promise<Map<string, unknown>> {
  const { tx, organizationNo } = change;
  const problems = dateProblems(date);
  const find = (kind: 'truck' | 'driver', id: string) =>
    findUsable(tx, organizationNo, kind, id, problems, { lock: 'share' });
  const truck = truck_id === undefined ? undefined : await find('truck', truck_id);
  const driver = typeof driver_id === 'string' ? (await find('driver', driver_id))?.no : driver_id;
  refuseProblems(problems);
  const day = date === undefined ? undefined : dayBounds(date, await readTimeZone(tx, organizationNo));
  const columns = Object.entries({
    date,
    day_begins_at: day?.beginsAt,
    day_ends_at: day?.endsAt,
    truck_no: truck?.no,
    driver_no: driver,
    fill_to_percentage,
    chance_limit,
  });
  return new Map(columns.filter(([, value]) => value !== undefined));
}

export const dateProblems = (date: string | undefined): FieldProblem[] =>
  date === undefined || isDate(date) ? [] : [{ field: 'date', reason: 'must be a date such as 2026-11-17' }];

/** Replaces the stops of a round with the given stops, in this order. */
export async function putStops(
  change: ChangeContext,
  id: string,
  stops: readonly GivenStop[],
  check?: Check,
): Promise<void> {
  const round = await existingRound(change.tx, change.organizationNo, id, { isLocked: true });
  check?.(round);
  await replaceStops(change, round, stops);
}

/** Takes the order of the stops from a solution of VROOM. Returns the number of stops. */
export async function putVroomOrder(
  change: ChangeContext,
  id: string,
  solution: unknown,
  check?: Check,
): Promise<number> {
  const round = await existingRound(change.tx, change.organizationNo, id, { isLocked: true });
  check?.(round);
  const stops = await readVroomOrder(change.tx, round, solution);
  await replaceStops(change, round, stops);
  return stops.length;
}
