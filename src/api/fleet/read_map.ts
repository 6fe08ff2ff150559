import { onlyRow } from '../../db/only_row.ts';
import type { Readers, Statement } from '../../db/readers.ts';
import { STATUS_CONDITIONS, TANK_STATUSES, type TankStatusName } from '../../fleet/status_object.ts';
import type { FleetScope } from '../../fleet/tank_filter.ts';
import { RecentResults } from './recent_counts.ts';

export interface MapArea {
  west: number;
  south: number;
  east: number;
  north: number;
  /** As of web maps: the world is 256 pixels wide at zoom 0, and twice as wide at each further step. */
  zoom: number;
}

export interface MapCell {
  /** The mean position of the tanks of the cell. */
  latitude: number;
  longitude: number;
  tanks: number;
  /** Of a cell with one tank. */
  tank_id: string | null;
  counts: Record<TankStatusName, number>;
}

/** A city with tanks, as it is written in their addresses. */
export interface MapPlace {
  city: string;
  latitude: number;
  longitude: number;
  tanks: number;
  counts: Record<TankStatusName, number>;
}

/** What a map shows of an area. */
export interface FleetMap {
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
export async function readMap(readers: Readers, scope: FleetScope, area: MapArea): Promise<FleetMap> {
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
