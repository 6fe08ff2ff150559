import type { Readers, Statement } from '../../db/readers.ts';
import { STOP_JOINS, withCurrentLevels } from '../../deliveries/current_stops.ts';
import { STOP_COLUMNS, type StopRow } from '../../deliveries/rounds.ts';
import { type CapacityUnit, fromLiters } from '../../values/capacity_unit.ts';
import { tenth } from '../../values/tenth.ts';

/** The fields of the result of `driver_round` from which current volumes are computed. */
export interface DriverRound {
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

/** Reads the stops of a round with current volumes. The caller has checked the driver's link. */
export async function readDriverStops(
  readers: Readers,
  roundId: string,
  { date, unit, time_zone: timeZone, fill_to: fill_to_percentage, stops }: DriverRound,
): Promise<object[]> {
  const stored = await readers.query<StopRow & { organization_no: number; chance_limit: number }>(STOPS, [roundId]);
  const [first] = stored;
  if (first === undefined) return stops;
  const { organization_no: organizationNo, chance_limit } = first;
  const round = { organizationNo, date, timeZone, fill_to_percentage, chance_limit };
  const currentStops = await withCurrentLevels(readers, round, stored);
  const currentByNumber = new Map(currentStops.map((stop) => [stop.number, stop]));
  const inRoundUnit = (liters: number): number => tenth(fromLiters(liters, unit));
  return stops.map((stop) => {
    const current = currentByNumber.get(stop.stop);
    if (current === undefined) return stop;
    return {
      ...stop,
      why: current.kind,
      volume: inRoundUnit(current.volume),
      // The page shows the planned volume only if the current volume clearly differs from it.
      planned_volume: current.is_volume_changed ? inRoundUnit(current.planned_volume) : null,
      is_filled_meanwhile: current.is_filled_meanwhile,
    };
  });
}
