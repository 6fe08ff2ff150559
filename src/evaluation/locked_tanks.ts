import { arrayLiteral, type Tx } from '../db/pool.ts';
import type { RetractionReason } from './pure/alerts/event_types.ts';
import { isOutdated } from './state_codec.ts';

/** The row of a tank in tank_states. */
export interface StoredState {
  tank_no: number;
  latest_ms: number;
  encoded_state: string | null;
  /** The time from which the tank must be re-evaluated; null if it is not marked. */
  from_ms: number | null;
}

/** Locks tanks in the order of their numbers. With `skip locked`, tanks that other transactions have locked are left out. */
export async function lockStates(
  tx: Tx,
  tankNos: readonly number[],
  option: '' | 'skip locked' = '',
): Promise<Map<number, StoredState>> {
  const { rows } = await tx.query<StoredState>({
    name: option === '' ? 'lock_tanks' : 'lock_free_tanks',
    text: `select tank_no, round(date_part('epoch', latest_at) * 1000) as latest_ms, encoded_state,
             round(date_part('epoch', reevaluate_from) * 1000) as from_ms
           from tank_states where tank_no = any ($1::int[]) order by tank_no for no key update ${option}`,
    values: [arrayLiteral(tankNos)],
  });
  return new Map(rows.map((row) => [row.tank_no, row]));
}

/** A queued tank that this transaction has locked. */
export interface LockedState extends StoredState {
  is_after_upgrade: boolean;
  retract_because: RetractionReason | null;
}

/**
 * Locks the tank first and its row of the queue second, like every other transaction. It skips tanks that are locked,
 * so that it never waits for a lock. The caller reads the settings afterwards, because every later change of settings
 * waits for the lock on the row of the queue.
 */
export async function lockQueuedTanks(tx: Tx, tankNos: readonly number[]): Promise<LockedState[]> {
  const states = await lockStates(tx, tankNos, 'skip locked');
  const { rows: queued } = await tx.query<
    Pick<LockedState, 'tank_no' | 'is_after_upgrade' | 'retract_because'> & { settings_ms: number | null }
  >(
    `select tank_no, round(date_part('epoch', settings_from) * 1000) as settings_ms, is_after_upgrade, retract_because
     from reevaluations where tank_no = any ($1::int[]) order by tank_no for update skip locked`,
    [arrayLiteral([...states.keys()])],
  );
  return queued.flatMap(({ tank_no, settings_ms, is_after_upgrade: wasAfterUpgrade, retract_because }) => {
    const state = states.get(tank_no);
    if (state === undefined) return [];
    const is_after_upgrade = wasAfterUpgrade || (state.encoded_state !== null && isOutdated(state.encoded_state));
    return [{ ...state, from_ms: earlier(state.from_ms, settings_ms), is_after_upgrade, retract_because }];
  });
}

const earlier = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/**
 * Stores in the queue that an older release recorded the events of these tanks. The next part of their re-evaluation
 * needs this, and the new state does not show it.
 */
export async function rememberUpgrades(tx: Tx, tankNos: readonly number[]): Promise<void> {
  if (tankNos.length === 0) return;
  await tx.query('update reevaluations set is_after_upgrade = true where tank_no = any ($1::int[])', [
    arrayLiteral(tankNos),
  ]);
}
