import type { Tx } from '../db/pool.ts';
import { saveCheckpoints } from './checkpoints.ts';
import { saveFleetTanks, tanksWithRefill, updateRefillDays } from './fleet_rows.ts';
import type { EventRetraction, NewEvent } from './pure/alerts/event_types.ts';
import { isSameEvent, type TankEvent } from './pure/alerts/tank_event.ts';
import { correctEvents, newEvent, recordEvents, retractEvents, retractionOf } from './record_events.ts';
import type { ReevaluatedTank } from './reevaluate_tank.ts';
import { saveStates } from './save_states.ts';

export async function saveReevaluatedTanks(
  tx: Tx,
  reevaluated: readonly ReevaluatedTank[],
  upToMs: number,
): Promise<void> {
  const nowMs = Date.now();
  const eventsOf = (pick: (tank: ReevaluatedTank) => readonly TankEvent[]): NewEvent[] =>
    reevaluated.flatMap((result) =>
      pick(result).map((event) => {
        const { notify, ...content } = newEvent(result.tank, event, result.state, nowMs);
        return { ...content, notify: notify && !result.differences.known.has(event) };
      }),
    );
  const changed = eventsOf(({ differences }) => differences.changed);
  const added = eventsOf(({ differences }) => differences.added);
  const retractions = reevaluated.flatMap(retractionsOf);
  await retractEvents(tx, retractions);
  await correctEvents(tx, changed);
  await recordEvents(tx, added);
  await saveCheckpoints(
    tx,
    reevaluated.flatMap(({ checkpoints }) => checkpoints),
  );
  await saveStates(
    tx,
    reevaluated.map(({ saved }) => saved),
    upToMs,
  );
  await saveFleetTanks(
    tx,
    reevaluated.map(({ tank, state }) => ({ ...tank, state })),
  );
  await updateRefillDays(tx, tanksWithRefill([...retractions, ...added]));
}

/**
 * The retractions of a tank. An event that the evaluation has retracted keeps that reason. Recipients are not
 * notified after an upgrade.
 */
function retractionsOf(reevaluated: ReevaluatedTank): EventRetraction[] {
  const { tank, retracted, differences, isAfterUpgrade, retractBecause } = reevaluated;
  const notFound = differences.retracted
    .filter((event) => !retracted.some((retraction) => isSameEvent(retraction, event)))
    .map((event) => ({ ...event, ...(retractBecause !== null && { reason: retractBecause }) }));
  return [...retracted, ...notFound].map((event) => ({
    ...retractionOf(tank.tankNo, event),
    notifiesRecipients: !isAfterUpgrade,
  }));
}
