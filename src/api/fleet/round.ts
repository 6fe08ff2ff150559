import type { Static } from 'typebox';
import { phonesSql } from '../../catalog/v1_columns.ts';
import { contactIdSql } from '../../db/contact_of_actor.ts';
import { onlyRow } from '../../db/only_row.ts';
import type { Readers, Statement } from '../../db/readers.ts';
import { loadChange, STOP_JOINS, type StopWithLevel, withCurrentLevels } from '../../deliveries/current_stops.ts';
import { straightLineKm } from '../../deliveries/propose_round.ts';
import type { Coordinates } from '../../deliveries/pure/rounds/distances.ts';
import { isSheetOld } from '../../deliveries/pure/rounds/printed_round.ts';
import { writeVroomProblem } from '../../deliveries/pure/rounds/vroom.ts';
import type { PrintedSheet } from '../../deliveries/round_prints.ts';
import { type RoundSummaryRow, SUMMARY_SQL } from '../../deliveries/round_summary.ts';
import { inUnit, STOP_COLUMNS, type StopRow, shownShare } from '../../deliveries/rounds.ts';
import { isOrdered } from '../../deliveries/vroom_round.ts';
import { notFound, organizationOnly } from '../../http/problem.ts';
import { organizationZone } from '../../status/organization_day.ts';
import { fromLiters } from '../../values/capacity_unit.ts';
import { tenth } from '../../values/tenth.ts';
import { isUuid } from '../../values/uuid7.ts';
import { operation } from '../operation.ts';
import { oneOf } from './filters.ts';
import { FleetRound, type FleetStop, ROUND_EXAMPLE } from './round_schema.ts';
import { summaryOf } from './rounds.ts';

interface RoundRow extends RoundSummaryRow {
  depot_name: string;
  depot_latitude: number;
  depot_longitude: number;
  printed: PrintedSheet | null;
  printed_by_name: string | null;
}
type FleetStopRow = StopRow &
  Pick<Static<typeof FleetStop>, 'tank' | 'notes' | 'comment' | 'note' | 'said_by_name' | 'other_entry'>;

const ROUND: Statement = {
  name: 'round_by_id',
  text: `select x.*,
      p.name as depot_name, p.latitude as depot_latitude, p.longitude as depot_longitude, r.printed,
      coalesce(c.name, c.email) as printed_by_name
    from (${SUMMARY_SQL} where r.organization_no = $1 and r.id = $2) as x
    join rounds r on r.no = x.no join trucks k on k.no = r.truck_no join depots p on p.no = k.depot_no
    left join contact_settings c on c.organization_no = $1
      and c.id = ${contactIdSql("(r.printed ->> 'by')")}`,
};

const STOPS: Statement = {
  name: 'stops_of_round',
  text: `select ${STOP_COLUMNS},
      case when c.no is not null then json_build_object('id', i.id, 'name', i.name, 'custom_id', i.custom_id, 'street', i.street,
        'street_number', i.street_number, 'district', i.district, 'postal_code', i.postal_code, 'city', i.city,
        'latitude', i.latitude, 'longitude', i.longitude,
        'owner_id', c.id, 'owner_name', c.name, 'owner_phone', c.phone,
        'owner_phones', ${phonesSql('c')}) end as tank,
      array(select n.text from tank_notes n where n.tank_no = i.no and n.deleted_at is null and n.prints order by n.no) as notes,
      w.comment, w.note, w.said_by_name, w.other_entry
    from round_stops s ${STOP_JOINS} join round_stop_words w on w.stop_no = s.no left join customers c on c.no = i.owner_no
    where s.round_no = $1 order by s.position`,
};

async function readRound(readers: Readers, organizationNo: number, id: string): Promise<Static<typeof FleetRound>> {
  const rows = isUuid(id) ? await readers.query<RoundRow>(ROUND, [organizationNo, id]) : [];
  if (rows.length === 0) throw notFound('round');
  const round = onlyRow(rows);
  const stored = await readers.query<FleetStopRow>(STOPS, [round.no]);
  const plan = { fill_to_percentage: tenth(round.fill_to_percentage), chance_limit: shownShare(round.chance_limit) };
  const day = { organizationNo, date: round.date, timeZone: await organizationZone(readers, organizationNo) };
  const stops = await withCurrentLevels(readers, { ...day, ...plan }, stored);
  const inTruckUnit = ({ tank_id: _id, other_entry: other, ...stop }: StopWithLevel<FleetStopRow>) => ({
    ...inUnit(stop, round.volume_unit),
    other_entry: other && {
      ...other,
      volume: other.volume === null ? null : tenth(fromLiters(other.volume, round.volume_unit)),
    },
  });
  const stopsInTruckUnit = stops.map(inTruckUnit);
  const depot = { name: round.depot_name, latitude: round.depot_latitude, longitude: round.depot_longitude };
  return {
    object: 'fleet_round',
    ...summaryOf({ ...round, load_litres: round.load_litres + loadChange(stops) }),
    ...plan,
    depot,
    straight_line_km: tenth(straightLineKm(depot, stops.filter(({ block }) => block === null).flatMap(placeOf))),
    print: round.printed && {
      at: round.printed.at,
      by_name: round.printed_by_name,
      is_old: isSheetOld(round.printed.stops, stopsInTruckUnit, round.volume_unit),
    },
    stops: stopsInTruckUnit,
  };
}

function placeOf({ tank }: Pick<FleetStopRow, 'tank'>): Coordinates[] {
  if (tank === null || tank.latitude === null || tank.longitude === null) return [];
  return [{ latitude: tank.latitude, longitude: tank.longitude }];
}

const parameters = {
  format: oneOf(
    ['json', 'vroom'],
    'vroom: return the round as a problem for VROOM, with the numbers of the stops as ids, in liters. ' +
      'Stops that are closed, blocked, filled meanwhile or without coordinates are left out.',
  ),
};

export const retrieveRoundOperation = operation({
  path: '/fleet/v1/rounds/:id',
  operationId: 'retrieveRound',
  summary: 'Retrieve a round with its stops',
  description:
    'Returns one round: where to go, what to know there, and what happened. A key that is narrowed to one customer gets 403.',
  idOf: 'round',
  returns: 'answer',
  item: FleetRound,
  example: ROUND_EXAMPLE,
  parameters,
  async handle({ readers, caller, id, parameters: given }) {
    if (caller.customerNo !== null) throw organizationOnly('Rounds need');
    const round = await readRound(readers, caller.organizationNo, id);
    if (given.format !== 'vroom') return { body: round };
    const stops = round.stops.filter(isOrdered).map((stop) => ({ ...stop, place: placeOf(stop)[0] }));
    // The VROOM problem is sent as bytes, because the serializer of this operation accepts only rounds.
    return {
      body: Buffer.from(JSON.stringify(writeVroomProblem({ ...round, unit: round.volume_unit, stops }))),
      headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'private, no-cache' },
    };
  },
});
