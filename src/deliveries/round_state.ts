import type { ChangeContext } from '../catalog/change_context.ts';
import type { Db } from '../db/pool.ts';
import { ChangeRefusedError } from '../values/change_refusal.ts';
import { OPEN_HOURS_AFTER_DAY, type RoundState } from './round.ts';
import { UNDO_UNTIL_SQL } from './round_summary.ts';
import type { StoredRound } from './rounds.ts';

const STATE_WORDS: Readonly<Record<RoundState, string>> = {
  planned: 'planned',
  under_way: 'under way',
  done: 'done',
  cancelled: 'cancelled',
};

/** Throws if the round is over. */
export function refuseOver({ decidedState, object: { id } }: StoredRound): void {
  if (decidedState === 'planned' || decidedState === 'under_way') return;
  const fact = `the round is ${STATE_WORDS[decidedState]}, so its plan does not change any more`;
  throw new ChangeRefusedError('round_over', fact, id);
}

/**
 * The transitions that a person may make. A finished round reopens only to undo its end, for 30 minutes; late reports
 * of the driver still correct its stops.
 */
const NEXT_STATES: Readonly<Record<RoundState, readonly RoundState[]>> = {
  planned: ['under_way', 'done', 'cancelled'],
  under_way: ['done'],
  done: [],
  cancelled: [],
};
const UNDONE_STATES: Readonly<Record<RoundState, readonly RoundState[]>> = {
  planned: [],
  under_way: [],
  done: ['planned', 'under_way'],
  cancelled: ['planned'],
};

/** Sets the state of a round. Throws if its current state does not allow this. */
export async function decideState(
  change: ChangeContext,
  { no, decidedState }: StoredRound,
  state: RoundState,
): Promise<void> {
  const { tx } = change;
  const isUndo = UNDONE_STATES[decidedState].includes(state) && (await canUndo(change, no));
  if (isUndo) await deleteLostStops(change, no);
  // The shown state differs from the decided one only if all stops are closed.
  else if (decidedState === state)
    throw new ChangeRefusedError('round_over', 'all stops of this round are closed, so it is done');
  else if (!NEXT_STATES[decidedState].includes(state))
    throw new ChangeRefusedError(
      'round_over',
      `a round that is ${STATE_WORDS[decidedState]} cannot be ${STATE_WORDS[state]}`,
    );
  await tx.query(
    `update rounds
     set state = $2, version = version + 1, updated_at = now(),
         started_at = case when $2 = 'under_way' then coalesce(started_at, now()) else started_at end,
         ended_at = case when $2 in ('done', 'cancelled') then now() end
     where no = $1`,
    [no, state],
  );
}

async function canUndo({ tx }: ChangeContext, roundNo: number): Promise<boolean> {
  const { rows } = await tx.query<{ undo_until: string | null }>(
    `select ${UNDO_UNTIL_SQL} as undo_until from rounds r where r.no = $1`,
    [roundNo],
  );
  return rows[0]?.undo_until !== null;
}

/**
 * Deletes the open stops whose tanks were deleted meanwhile, or are on another open round: a tank is on at most one open
 * round of a day.
 */
async function deleteLostStops({ tx, organizationNo }: ChangeContext, roundNo: number): Promise<void> {
  // A tank is locked before its stops, as in its deletion, which may be in progress.
  await tx.query(
    `select from tanks where organization_no = $1 and no in (select tank_no from round_stops where round_no = $2)
     order by no for share`,
    [organizationNo, roundNo],
  );
  await tx.query(
    `delete from round_stops s where s.round_no = $1 and s.said is null and (s.tank_no is null or exists (
       select from round_stops n where n.tank_no = s.tank_no and n.round_date = s.round_date and n.is_open and n.no <> s.no
     ))`,
    [roundNo],
  );
}

/** Ends rounds that nobody has ended. Returns their number. */
export async function endOldRounds(db: Db): Promise<number> {
  const { rowCount } = await db.query(
    // In the order of lockRounds.
    `with old as materialized (
       select no from rounds
       where state in ('planned', 'under_way') and day_ends_at < now() - interval '${OPEN_HOURS_AFTER_DAY} hours'
       order by no for no key update
     )
     update rounds r set state = 'done', ended_at = now(), updated_at = now() from old where r.no = old.no`,
  );
  return rowCount ?? 0;
}
