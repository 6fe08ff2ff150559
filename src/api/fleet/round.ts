import { type Static, Type } from 'typebox';
import { contactIdSql } from '../../db/contact_of_actor.ts';
import { onlyRow } from '../../db/only_row.ts';
import { sharedRowsOf } from '../../db/read_rows.ts';
import type { Readers, Statement } from '../../db/readers.ts';
import { type FollowedStop, followLevels, loadChange, STOP_JOINS } from '../../deliveries/current_stops.ts';
import { straightLineKm } from '../../deliveries/propose_round.ts';
import type { Coordinates } from '../../deliveries/pure/rounds/distances.ts';
import { isSheetOld } from '../../deliveries/pure/rounds/printed_round.ts';
import { writeVroomProblem } from '../../deliveries/pure/rounds/vroom.ts';
import { NOT_POSSIBLE_REASONS } from '../../deliveries/round.ts';
import type { PrintedSheet } from '../../deliveries/round_prints.ts';
import { type RoundSummaryRow, SUMMARY_SQL } from '../../deliveries/round_summary.ts';
import { inUnit, STOP_COLUMNS, type StopRow, shownShare } from '../../deliveries/rounds.ts';
import { isOrdered } from '../../deliveries/vroom_round.ts';
import { notFound, organizationOnly } from '../../http/problem.ts';
import { organizationZone } from '../../status/organization_day.ts';
import { fromLiters } from '../../values/capacity_unit.ts';
import { tenth } from '../../values/tenth.ts';
import { isUuid } from '../../values/uuid7.ts';
import type { Operation, OperationRequest } from '../operation.ts';
import type { ParameterValues } from '../parameters.ts';
import { stopFields } from '../schemas/rounds.ts';
import { NullableEnum, NullableNumber, NullableString, Time } from '../schemas/values.ts';
import { oneOf } from './filters.ts';
import { roundFields, SUMMARY_EXAMPLE, summaryOf } from './rounds.ts';

const closed = { additionalProperties: false };
const Place = {
  latitude: Type.Number({ description: 'In degrees.' }),
  longitude: Type.Number({ description: 'In degrees.' }),
};

const OtherEntry = Type.Object(
  {
    from: Type.Enum(['driver', 'person'], { description: 'Who says so. person: the office.' }),
    kind: Type.Enum(['delivered', 'not_possible'], { description: 'What happened.' }),
    volume: NullableNumber('What was delivered.'),
    reason: NullableEnum(NOT_POSSIBLE_REASONS, 'Why it was not possible.'),
    comment: NullableString('What the driver wrote.'),
    note: NullableString('Series and number of the delivery note.'),
    at: Time('When it happened.'),
    said_by_name: NullableString('Who recorded it in the office.'),
  },
  { title: 'OtherStopEntry', ...closed },
);

const FleetStop = Type.Object(
  {
    ...stopFields,
    tank: Type.Union(
      [
        Type.Object(
          {
            id: Type.String({ description: 'ID of the tank.' }),
            name: Type.String({ description: 'Name.' }),
            custom_id: NullableString("The operator's own number of the tank."),
            street: NullableString('Street.'),
            street_number: NullableString('Number in the street.'),
            district: NullableString('District.'),
            postal_code: NullableString('Postal code.'),
            city: NullableString('City.'),
            latitude: NullableNumber('Latitude in degrees.'),
            longitude: NullableNumber('Longitude in degrees.'),
            owner_id: Type.String({ description: 'ID of the customer.' }),
            owner_name: Type.String({ description: 'Name of the customer.' }),
            owner_phone: NullableString('Phone number of the customer.'),
          },
          closed,
        ),
        Type.Null(),
      ],
      { description: 'Where to go. Null: the tank was deleted.' },
    ),
    notes: Type.Array(Type.String(), { description: 'The notes on the tank that are printed with a round.' }),
    comment: NullableString('What the driver wrote about it.'),
    note: NullableString('Series and number of the delivery note that was written there.'),
    said_by_name: NullableString(
      'Who recorded the outcome in the office. Null: nobody did, or a program, or a person who was removed.',
    ),
    other_entry: Type.Union([OtherEntry, Type.Null()], {
      description:
        'A later entry of the driver or of the office that says something else. The first one counts. Null: none.',
    }),
  },
  { title: 'FleetStop', ...closed },
);

const FleetRound = Type.Object(
  {
    object: Type.Literal('fleet_round'),
    ...roundFields,
    fill_to_percentage: Type.Number({ description: 'Up to which level tanks are filled, in percent.' }),
    chance_limit: Type.Number({ description: 'Above this chance, from 0 to 1, a tank has to be visited.' }),
    depot: Type.Object({ name: Type.String({ description: 'Name of the depot.' }), ...Place }, closed),
    straight_line_km: Type.Number({
      description:
        'From the depot through the stops in their order and back, on straight lines, without blocked stops. It is not a route.',
    }),
    print: Type.Union(
      [
        Type.Object(
          {
            at: Time('When the last sheet was printed.'),
            by_name: NullableString('Who printed it. Null: a program, or a person who was removed.'),
            is_old: Type.Boolean({
              description:
                'Whether the sheet is wrong by now: a stop is blocked or open again, new or taken off, or has another volume.',
            }),
          },
          closed,
        ),
        Type.Null(),
      ],
      { description: 'The sheet of paper of the driver. Null: none was printed.' },
    ),
    stops: Type.Array(FleetStop, { description: 'In their order.' }),
  },
  { title: 'FleetRound', ...closed },
);

const EXAMPLE: Static<typeof FleetRound> = {
  ...SUMMARY_EXAMPLE,
  object: 'fleet_round',
  fill_to_percentage: 80,
  chance_limit: 0.05,
  depot: { name: 'Celaya', latitude: 20.5283, longitude: -100.8122 },
  straight_line_km: 109.4,
  print: { at: '2025-11-18T12:45:00.000Z', by_name: 'Ana Solís', is_old: false },
  stops: [
    {
      number: 3,
      kind: 'must',
      volume: 228,
      planned_volume: 198,
      volume_from: 'level',
      is_volume_changed: false,
      chance: 0.11,
      fill_percentage: 17.2,
      planned_fill_percentage: 21.4,
      is_filled_meanwhile: false,
      block: null,
      outcome: 'open',
      outcome_from: null,
      outcome_at: null,
      reason: null,
      delivered_volume: null,
      seen_volume: null,
      contradiction: null,
      tank: {
        id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
        name: 'Casa',
        custom_id: 'T-1410',
        street: 'Allende',
        street_number: '32',
        district: null,
        postal_code: '38300',
        city: 'Cortazar',
        latitude: 20.4828,
        longitude: -100.9617,
        owner_id: '01989f2e-6a3b-7c41-9d52-0b6f1e2a7c90',
        owner_name: 'Tomás Rico Vera',
        owner_phone: '+52 411 555 0181',
      },
      notes: ['Dog. Call ahead.'],
      comment: null,
      note: null,
      said_by_name: null,
      other_entry: null,
    },
  ],
};

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
        'owner_id', c.id, 'owner_name', c.name, 'owner_phone', c.phone) end as tank,
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
  const stops = await followLevels(sharedRowsOf(readers), { ...day, ...plan }, stored);
  const inTruckUnit = ({ tank_id: _id, other_entry: other, ...stop }: FollowedStop<FleetStopRow>) => ({
    ...inUnit(stop, round.volume_unit),
    other_entry: other && {
      ...other,
      volume: other.volume === null ? null : tenth(fromLiters(other.volume, round.volume_unit)),
    },
  });
  const shown = stops.map(inTruckUnit);
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
      is_old: isSheetOld(round.printed.stops, shown, round.volume_unit),
    },
    stops: shown,
  };
}

function placeOf({ tank }: Pick<FleetStopRow, 'tank'>): Coordinates[] {
  if (tank === null || tank.latitude === null || tank.longitude === null) return [];
  return [{ latitude: tank.latitude, longitude: tank.longitude }];
}

const parameters = {
  format: oneOf(
    ['json', 'vroom'],
    'vroom: return the round as a problem for VROOM, with the numbers of the stops as ids, in liters. Left out are closed and blocked stops, and those without coordinates.',
  ),
};

export const retrieveRoundOperation: Operation = {
  path: '/fleet/v1/rounds/:id',
  operationId: 'retrieveRound',
  summary: 'Retrieve a round with its stops',
  description:
    'Returns one round: where to go, what to know there, and what happened. A key that is narrowed to one customer gets 403.',
  idOf: 'round',
  returns: 'answer',
  item: FleetRound,
  example: EXAMPLE,
  parameters,
  async handle({ readers, caller, id, parameters: given }: OperationRequest<ParameterValues<typeof parameters>>) {
    if (caller.customerNo !== null) throw organizationOnly('Rounds need');
    const round = await readRound(readers, caller.organizationNo, id);
    if (given.format !== 'vroom') return { body: round };
    const stops = round.stops.filter(isOrdered).map((stop) => ({ ...stop, place: placeOf(stop)[0] }));
    // Sent as bytes, because the serializer of the operation is for rounds only.
    return {
      body: Buffer.from(JSON.stringify(writeVroomProblem({ ...round, unit: round.volume_unit, stops }))),
      headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'private, no-cache' },
    };
  },
};
