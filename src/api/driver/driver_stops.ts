import { sharedRowsOf } from '../../db/read_rows.ts';
import type { Readers, Statement } from '../../db/readers.ts';
import { STOP_JOINS, withCurrentLevels } from '../../deliveries/current_stops.ts';
import { STOP_COLUMNS, type StopRow } from '../../deliveries/rounds.ts';
import { type CapacityUnit, fromLiters } from '../../values/capacity_unit.ts';
import { tenth } from '../../values/tenth.ts';

/** The fields of the result of `driver_round` that are needed here to compute current volumes. */
export interface ShownRound {
  date: string;
  unit: CapacityUnit;
  time_zone: string;
  fill_to: number;
  stops: { stop: number; volume: number }[];
}

const STOPS: Statement = {
  name: 'stops_of_driver',
  text: `select r.organization_no, r.chance_limit, ${STOP_COLUMNS}
    from rounds r join round_stops s on s.round_no = r.no ${STOP_JOINS} where r.id = $1`,
};

/** The stops of a driver with current volumes. The caller has checked the link. */
export async function followDriverStops(
  readers: Readers,
  roundId: string,
  { date, unit, time_zone: timeZone, fill_to: fill_to_percentage, stops }: ShownRound,
): Promise<object[]> {
  const stored = await readers.query<StopRow & { organization_no: number; chance_limit: number }>(STOPS, [roundId]);
  const [first] = stored;
  if (first === undefined) return stops;
  const { organization_no: organizationNo, chance_limit } = first;
  const round = { organizationNo, date, timeZone, fill_to_percentage, chance_limit };
  const followed = await withCurrentLevels(sharedRowsOf(readers), round, stored);
  const byNumber = new Map(followed.map((stop) => [stop.number, stop]));
  const shown = (liters: number): number => tenth(fromLiters(liters, unit));
  return stops.map((stop) => {
    const now = byNumber.get(stop.stop);
    if (now === undefined) return stop;
    return {
      ...stop,
      why: now.kind,
      volume: shown(now.volume),
      // Only shown if the current volume clearly differs from it.
      planned_volume: now.is_volume_changed ? shown(now.planned_volume) : null,
      is_filled_meanwhile: now.is_filled_meanwhile,
    };
  });
}
