import { type Static, Type } from 'typebox';
import { onlyRow } from '../../db/only_row.ts';
import type { Readers, Statement } from '../../db/readers.ts';
import { STATUS_CONDITIONS, TANK_STATUSES, type TankStatusName } from '../../fleet/status_object.ts';
import type { FleetScope } from '../../fleet/tank_filter.ts';
import { invalidParameters } from '../../http/problem.ts';
import type { Operation, OperationRequest } from '../operation.ts';
import { integer, type Parameter, type ParameterValues } from '../parameters.ts';
import { NullableString } from '../schemas.ts';
import { decimal } from './filters.ts';
import { RecentResults } from './recent_counts.ts';
import { StatusCounts } from './summary.ts';
import { scopeOf } from './tanks.ts';

interface MapArea {
  west: number;
  south: number;
  east: number;
  north: number;
  /** As of web maps: the world is 256 pixels wide at zoom 0, and twice as wide at each further step. */
  zoom: number;
}

interface MapCell {
  /** The mean position of the tanks of the cell. */
  latitude: number;
  longitude: number;
  tanks: number;
  /** Of a cell with one tank. */
  tank_id: string | null;
  counts: Record<TankStatusName, number>;
}

/** A city with tanks, as it is written in their addresses. */
interface MapPlace {
  city: string;
  latitude: number;
  longitude: number;
  tanks: number;
  counts: Record<TankStatusName, number>;
}

/** What a map shows of an area. */
interface FleetMap {
  cells: MapCell[];
  /** Names for the map, and a list for those who cannot see it. */
  places: MapPlace[];
}

/** A cell is about this wide on the screen. */
const CELL_PIXELS = 32;
/** The largest screens have 8,000 cells. A larger area than such a screen gets wider cells. */
const MAX_CELLS_OF_AREA = 200_000;
const MAX_CELLS = 2_000;
const MAX_PLACES = 200;
/** Up to so many tanks are joined one by one. */
const MAX_FEW_TANKS = 2_000;

type Counted = Record<`${TankStatusName}_tanks`, number>;
type GroupRow = Omit<MapCell, 'counts'> & Counted & { /** Null for a cell. */ city: string | null };

const COUNTS = TANK_STATUSES.map(
  (name) => `count(*) filter (where ${STATUS_CONDITIONS[name]})::int as ${name}_tanks`,
).join(', ');

/** Tanks without a position are not on the map. */
const IS_PLACED = 't.deleted_at is null and t.latitude is not null and t.longitude is not null';
/** Parameters: $2 to $5 west, south, east and north. */
const IS_INSIDE = 't.latitude between $3 and $5 and t.longitude between $2 and $4';

const ADDED = TANK_STATUSES.map((name) => `sum(${name}_tanks)::int as ${name}_tanks`).join(', ');
const ADDED_GROUPS = `sum(latitudes) / sum(tanks) as latitude, sum(longitudes) / sum(tanks) as longitude,
  sum(tanks)::int as tanks, min(tank_no) as tank_no, ${ADDED}`;

/** Groups tanks `t` with their rows `f` by cells of $6 degrees and by city, the fullest first. Each tank is read once. */
const groupTanks = (name: string, tanks: string): Statement => ({
  name,
  text: `with counted as materialized (
      select floor(t.latitude / $6) as cell_y, floor(t.longitude / $6) as cell_x, t.city, count(*) as tanks,
        sum(t.latitude) as latitudes, sum(t.longitude) as longitudes, min(t.no) as tank_no, ${COUNTS}
      from ${tanks} group by 1, 2, 3
    )
    select shown.*, case when tanks = 1 then (select id from tanks where no = tank_no) end as tank_id
    from (
      (
        select null as city, ${ADDED_GROUPS} from counted
        group by cell_y, cell_x order by tanks desc limit ${MAX_CELLS}
      ) union all (
        select city, ${ADDED_GROUPS} from counted where city is not null
        group by city order by tanks desc, city limit ${MAX_PLACES}
      )
    ) as shown`,
});

/** By the index of places, then one by one. */
const OF_FEW = groupTanks(
  'map_of_few_tanks',
  `(select * from tanks t where t.organization_no = $1 and ${IS_PLACED} and ${IS_INSIDE}) as t
   join fleet_tanks f on f.tank_no = t.no`,
);
/**
 * Both tables are read once. PostgreSQL cannot know how many tanks are in the area; `case` hides the conditions, so that it
 * plans for many. One by one, a million tanks would take 10 million buffers instead of 60,000.
 */
const OF_MANY = groupTanks(
  'map_of_many_tanks',
  `tanks t join fleet_tanks f on f.tank_no = t.no
   where t.organization_no = $1 and f.organization_no = $1 and ${IS_PLACED} and case when ${IS_INSIDE} then true else false end`,
);
const OF_CUSTOMER = groupTanks(
  'map_of_customer',
  `(select * from tanks t where t.owner_no = $1 and ${IS_PLACED} offset 0) as t
   join fleet_tanks f on f.tank_no = t.no where ${IS_INSIDE}`,
);

const COUNT_FEW: Statement = {
  name: 'count_tanks_of_map',
  text: `select count(*)::int as n from (
      select from tanks t where t.organization_no = $1 and ${IS_PLACED} and ${IS_INSIDE} limit ${MAX_FEW_TANKS + 1}
    ) as found`,
};

const recentMaps = new RecentResults<FleetMap>();

/** Groups the tanks of an area into cells of a grid and by city. A map of many tanks is read at most every 10 seconds. */
async function readMap(readers: Readers, scope: FleetScope, area: MapArea): Promise<FleetMap> {
  const { organizationNo, customerNo } = scope;
  const { west, south, east, north, zoom } = area;
  const widestDegrees = Math.sqrt(((east - west) * (north - south)) / MAX_CELLS_OF_AREA);
  const cellDegrees = Math.max((360 * CELL_PIXELS) / (256 * 2 ** zoom), widestDegrees);
  const inside = [west, south, east, north];
  const read = async (statement: Statement, scopeNo: number): Promise<FleetMap> =>
    mapOf(await readers.query<GroupRow>(statement, [scopeNo, ...inside, cellDegrees]));

  if (customerNo !== null) return read(OF_CUSTOMER, customerNo);
  const counted = await readers.query<{ n: number }>(COUNT_FEW, [organizationNo, ...inside]);
  if (onlyRow(counted).n <= MAX_FEW_TANKS) return read(OF_FEW, organizationNo);
  const map = await recentMaps.read(readers, JSON.stringify([scope, area]), () => read(OF_MANY, organizationNo));
  return map.value;
}

function mapOf(rows: readonly GroupRow[]): FleetMap {
  const [cells, places]: [MapCell[], MapPlace[]] = [[], []];
  for (const { city, latitude, longitude, tanks, tank_id, ...row } of rows) {
    const counts = countsOf(row);
    if (city === null) cells.push({ latitude, longitude, tanks, tank_id, counts });
    else places.push({ city, latitude, longitude, tanks, counts });
  }
  return { cells, places };
}

const countsOf = (row: Counted): Record<TankStatusName, number> => ({
  losing: row.losing_tanks,
  low: row.low_tanks,
  gauge_unreliable: row.gauge_unreliable_tanks,
  silent: row.silent_tanks,
  soon: row.soon_tanks,
  refilled: row.refilled_tanks,
});

const FleetMap = Type.Object(
  {
    object: Type.Literal('fleet_map'),
    cells: Type.Array(
      Type.Object(
        {
          latitude: Type.Number({ description: 'Mean latitude of the tanks of the cell.' }),
          longitude: Type.Number({ description: 'Mean longitude.' }),
          tanks: Type.Integer({ description: 'Number of tanks.' }),
          tank_id: NullableString('ID of the tank, if the cell has only one.'),
          counts: StatusCounts,
        },
        { additionalProperties: false },
      ),
      { description: 'Cells with tanks, the fullest first, at most 2,000.' },
    ),
    places: Type.Array(
      Type.Object(
        {
          city: Type.String({ description: 'The city, written as in the tanks.' }),
          latitude: Type.Number({ description: 'Mean latitude of its tanks.' }),
          longitude: Type.Number({ description: 'Mean longitude.' }),
          tanks: Type.Integer({ description: 'Number of tanks.' }),
          counts: StatusCounts,
        },
        { additionalProperties: false },
      ),
      { description: 'Cities with tanks, the most tanks first, at most 200.' },
    ),
  },
  { title: 'FleetMap', additionalProperties: false },
);

const EXAMPLE: Static<typeof FleetMap> = {
  object: 'fleet_map',
  cells: [
    {
      latitude: 20.523,
      longitude: -100.812,
      tanks: 41,
      tank_id: null,
      counts: { losing: 0, low: 3, gauge_unreliable: 0, silent: 1, soon: 6, refilled: 2 },
    },
  ],
  places: [
    {
      city: 'Celaya',
      latitude: 20.522,
      longitude: -100.814,
      tanks: 38,
      counts: { losing: 0, low: 3, gauge_unreliable: 0, silent: 1, soon: 5, refilled: 2 },
    },
  ],
};

const bbox: Parameter<[number, number, number, number]> = {
  schema: Type.String({ examples: ['-101.2,20.3,-100.4,20.8'] }),
  description: 'The area: west, south, east and north in degrees. Default: the whole world.',
  parse(text) {
    const [west = Number.NaN, south = Number.NaN, east = Number.NaN, north = Number.NaN, ...more] = text
      .split(',')
      .map(decimal);
    const isArea = west < east && south < north && Math.abs(south) <= 90 && Math.abs(north) <= 90 && more.length === 0;
    return isArea && Math.abs(west) <= 180 && Math.abs(east) <= 180
      ? { value: [west, south, east, north] }
      : { code: 'invalid', detail: 'Must be west, south, east and north in degrees, such as -101.2,20.3,-100.4,20.8.' };
  },
};

const zoom: Parameter<number> = {
  schema: Type.Integer({ minimum: 0, maximum: 20 }),
  description:
    'Zoom of the map, as in web maps. A cell is about 32 pixels wide, and wider if the area is much larger than a screen.',
  parse: integer(0, 20),
};

const parameters = { bbox, zoom };

export const retrieveMapOperation: Operation = {
  path: '/fleet/v1/map',
  operationId: 'retrieveMap',
  summary: 'Group tanks for a map',
  description: 'Returns the tanks of an area in cells of a grid and by city, with the number of tanks of each status.',
  returns: 'answer',
  item: FleetMap,
  example: EXAMPLE,
  parameters,
  async handle({ readers, caller, parameters: given }: OperationRequest<ParameterValues<typeof parameters>>) {
    if (given.zoom === undefined)
      throw invalidParameters([{ param: 'zoom', code: 'required', detail: 'Send the zoom of the map.' }]);
    const [west, south, east, north] = given.bbox ?? [-180, -90, 180, 90];
    const area = { west, south, east, north, zoom: given.zoom };
    return { body: { object: 'fleet_map', ...(await readMap(readers, scopeOf(caller), area)) } };
  },
};
