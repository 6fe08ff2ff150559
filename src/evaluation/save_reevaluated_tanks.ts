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
    reevaluated.flatMap((one) =>
      pick(one).map((event) => {
        const { notify, ...content } = newEvent(one.tank, event, one.state, nowMs);
        return { ...content, notify: notify && !one.differences.known.has(event) };
      }),
    );
  const retractions = reevaluated.flatMap(retractionsOf);
  await retractEvents(tx, retractions);
  await correctEvents(
    tx,
    eventsOf(({ differences }) => differences.changed),
  );
  await recordEvents(
    tx,
    eventsOf(({ differences }) => differences.added),
  );
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
  await updateRefillDays(tx, tanksWithRefill([...retractions, ...eventsOf(({ differences }) => differences.added)]));
}

/**
 * The retractions of a tank. An event that the evaluation has retracted keeps that reason. Recipients are not
 * notified after an upgrade.
 */
function retractionsOf(reevaluated: ReevaluatedTank): EventRetraction[] {
  const { tank, retracted, differences, isAfterUpgrade, retractBecause } = reevaluated;
  const notFound = differences.retracted
    .filter((event) => !retracted.some((one) => isSameEvent(one, event)))
    .map((event) => ({ ...event, ...(retractBecause !== null && { reason: retractBecause }) }));
  return [...retracted, ...notFound].map((event) => ({
    ...retractionOf(tank.tankNo, event),
    notifiesRecipients: !isAfterUpgrade,
  }));
}
