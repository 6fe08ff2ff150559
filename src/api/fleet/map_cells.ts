import type { Static } from 'typebox';
import { onlyRow } from '../../db/only_row.ts';
import type { Readers } from '../../db/readers.ts';
import { organizationToday } from '../../status/organization_day.ts';
import {
  areManyNear,
  type Box,
  conditionOf,
  type FleetFilter,
  type FleetScope,
  handledSetOf,
  isInside,
  matchesOneOwner,
  SqlValues,
} from '../../status/tank_filter.ts';
import { STATUS_CONDITIONS, TANK_STATUSES, type TankStatusName } from '../../status/tank_statuses.ts';
import { MAX_MAP_CELLS } from '../../values/interface_limits.ts';
import type { FleetMap } from './map_schema.ts';
import { CachedResults } from './recent_counts.ts';

type MapGroups = Omit<Static<typeof FleetMap>, 'object'>;
type MapCell = MapGroups['cells'][number];
type MapPlace = MapGroups['places'][number];
type MapTank = MapGroups['tanks'][number];

export interface MapRequest {
  scope: FleetScope;
  /** The filter without a box. The area of the map is `box`. */
  filter: FleetFilter;
  box: Box;
  /** The zoom of web maps: the world is 256 pixels wide at zoom 0, and twice as wide at each further step. */
  zoom: number;
  /** Whether to return tanks one by one: all if they are few, otherwise those that are losing gas. */
  hasTanks: boolean;
}

/** The approximate width of a cell on the screen. */
const CELL_PIXELS = 32;
/**
 * The largest number of cells of an area. The largest screens show 8,000 cells. A much larger area gets wider cells.
 */
const MAX_CELLS_OF_AREA = 200_000;
const MAX_PLACES = 200;
/** Up to this many tanks are read and returned one by one. */
export const MAX_FEW_TANKS = 2_000;

type GroupRow = Omit<MapCell, 'counts'> & Box & Record<`${TankStatusName}_tanks`, number> & { city: string | null };
type TankRow = Omit<MapTank, 'status'> & Record<`is_${TankStatusName}`, boolean> & { city: string | null };

const COUNTS = TANK_STATUSES.map(
  (name) => `count(*) filter (where ${STATUS_CONDITIONS[name]})::int as ${name}_tanks`,
).join(', ');
const FLAGS = TANK_STATUSES.map((name) => `${STATUS_CONDITIONS[name]} as is_${name}`).join(', ');
const ADDED = TANK_STATUSES.map((name) => `sum(${name}_tanks)::int as ${name}_tanks`).join(', ');
const ADDED_GROUPS = `sum(latitudes) / sum(tanks) as latitude, sum(longitudes) / sum(tanks) as longitude,
  sum(tanks)::int as tanks, min(tank_no) as tank_no, ${ADDED},
  min(west) as west, min(south) as south, max(east) as east, max(north) as north`;

/** Tanks without a position are not on the map. */
const IS_PLACED = 't.deleted_at is null and t.latitude is not null and t.longitude is not null';

interface SourceParts {
  organization: string;
  inside: string;
  /** The condition on rows `f`. */
  condition: string;
}

/**
 * Three ways to read the tanks `t` of an area with their rows `f` of fleet_tanks. Each returns the text of a statement
 * after `from`.
 */
const SOURCES = {
  /**
   * Reads the tanks that the filter selects, which are few. `offset 0` prevents a join with all tanks of a large area.
   */
  selected: ({ organization, inside, condition }: SourceParts) => `(
      select f.* from fleet_tanks f where ${condition} offset 0
    ) as f cross join lateral (select * from tanks t where t.no = f.tank_no offset 0) as t
    where t.${organization} and ${IS_PLACED} and ${inside}`,
  /** Reads the index of positions, then the tanks one by one. */
  few: ({ organization, inside, condition }: SourceParts) => `(
      select * from tanks t where t.${organization} and ${IS_PLACED} and ${inside} offset 0
    ) as t join fleet_tanks f on f.tank_no = t.no where ${condition}`,
  /**
   * Reads both tables once. PostgreSQL cannot estimate how many tanks are in the area, so `case` hides the condition
   * and makes it plan for many. Reading a million tanks one by one would read 10 million buffers instead of 60,000.
   */
  many: ({ organization, inside, condition }: SourceParts) => `tanks t join fleet_tanks f on f.tank_no = t.no
    where t.${organization} and ${IS_PLACED} and case when ${inside} then true else false end and ${condition}`,
} satisfies Record<string, (parts: SourceParts) => string>;

async function chooseSource(readers: Readers, { scope, filter, box }: MapRequest): Promise<keyof typeof SOURCES> {
  const { words, ids, near, status, section } = filter;
  const isLosing = status === 'losing' || section === 'losing';
  const areFewSelected = words !== undefined || ids !== undefined || isLosing || matchesOneOwner(scope, filter);
  if (areFewSelected || (near !== undefined && !(await areManyNear(readers, scope, filter)))) return 'selected';
  const values = new SqlValues();
  const text = `select count(*)::int as n from (
      select from tanks t where t.organization_no = ${values.add(scope.organizationNo, 'int')}
        and ${IS_PLACED} and ${isInside(box, 't', values.add)}
      limit ${MAX_FEW_TANKS + 1}
    ) as found`;
  const { n } = onlyRow(await readers.query<{ n: number }>({ text }, values.list));
  return n <= MAX_FEW_TANKS ? 'few' : 'many';
}

const recentGroups = new CachedResults<MapGroups>();

/**
 * The tanks of an area in the cells of a grid, by city, and one by one. A request reads the tanks that the filter
 * selects, or at most 2,000 tanks of the area, or all tanks of the organization. The last case happens at most every 10
 * seconds.
 */
export async function readMap(readers: Readers, given: MapRequest): Promise<MapGroups> {
  const [source, today] = await Promise.all([
    chooseSource(readers, given),
    organizationToday(readers, given.scope.organizationNo),
  ]);
  const request = { ...given, today };
  if (source === 'many') {
    const read = (): Promise<MapGroups> => readGroups(readers, request, source);
    return (await recentGroups.read(readers, JSON.stringify(request), read)).value;
  }
  const tanks = request.hasTanks ? await readTanks(readers, request, source) : null;
  if (tanks === null) return readGroups(readers, request, source);
  return { cells: [], places: placesOf(tanks), tanks: tanks.map(mapTank), bounds: boundsOf(tanks.map(pointBox)) };
}

/** A request with the date of the organization. */
type DatedRequest = MapRequest & { today: string };

function sourceText(
  { scope, filter, box, today }: DatedRequest,
  source: keyof typeof SOURCES,
  values: SqlValues,
  { isLosing = false } = {},
): string {
  // If few tanks are near the given coordinates, `source` is `selected`. Otherwise the numbers of near tanks are
  // hashed.
  const condition = conditionOf(scope, filter, values, { areManyNear: source !== 'selected', today });
  return SOURCES[source]({
    organization: `organization_no = ${values.add(scope.organizationNo, 'int')}`,
    inside: isInside(box, 't', values.add),
    condition: isLosing ? `${condition} and ${STATUS_CONDITIONS.losing}` : condition,
  });
}

/** Reads the tanks individually. Null if there are more than 2,000. */
async function readTanks(
  readers: Readers,
  request: DatedRequest,
  source: keyof typeof SOURCES,
  { isLosing = false } = {},
): Promise<readonly TankRow[] | null> {
  const values = new SqlValues();
  const text = `${handledSetOf(request.scope, values)}
    select t.id, t.latitude, t.longitude, t.city, ${FLAGS}
    from ${sourceText(request, source, values, { isLosing })} limit ${MAX_FEW_TANKS + 1}`;
  const rows = await readers.query<TankRow>({ text }, values.list);
  return rows.length > MAX_FEW_TANKS ? null : rows;
}

/**
 * Reads cells and cities, the fullest first. If the request asks for tanks one by one, tanks that are losing gas are in
 * no cell, unless there are more than 2,000.
 */
async function readGroups(readers: Readers, request: DatedRequest, source: keyof typeof SOURCES): Promise<MapGroups> {
  // Losing tanks are found by their index, however large the area is.
  const losing = request.hasTanks ? await readTanks(readers, request, 'selected', { isLosing: true }) : null;
  const { west, south, east, north } = request.box;
  const widestDegrees = Math.sqrt(((east - west) * (north - south)) / MAX_CELLS_OF_AREA);
  const cellDegrees = Math.max((360 * CELL_PIXELS) / (256 * 2 ** request.zoom), widestDegrees);
  const values = new SqlValues();
  const width = values.add(cellDegrees, 'float8');
  const rows = await readers.query<GroupRow>(
    {
      text: groupText(
        handledSetOf(request.scope, values),
        sourceText(request, source, values),
        width,
        losing === null ? 'false' : STATUS_CONDITIONS.losing,
      ),
    },
    values.list,
  );
  const bounds = boundsOf([...rows.filter(({ city }) => city === null), ...(losing ?? []).map(pointBox)]);
  const groups: MapGroups = { cells: [], places: [], tanks: (losing ?? []).map(mapTank), bounds };
  for (const { city, latitude, longitude, tanks, tank_id, ...row } of rows) {
    const counts = countsOf((name) => row[`${name}_tanks`]);
    if (city === null) groups.cells.push({ latitude, longitude, tanks, tank_id, counts });
    else groups.places.push({ city, latitude, longitude, tanks, counts });
  }
  return groups;
}

/** Groups tanks `t` with their rows `f` by cells of `width` degrees, and by city. Each tank is read once. */
const groupText = (handledSet: string, source: string, width: string, isAlone: string): string => `${handledSet},
  counted as materialized (
    select floor(t.latitude / ${width}) as cell_y, floor(t.longitude / ${width}) as cell_x, t.city, ${isAlone} as is_alone,
      count(*) as tanks, sum(t.latitude) as latitudes, sum(t.longitude) as longitudes, min(t.no) as tank_no, ${COUNTS},
      min(t.longitude) as west, min(t.latitude) as south, max(t.longitude) as east, max(t.latitude) as north
    from ${source} group by 1, 2, 3, 4
  )
  select shown.*, case when tanks = 1 then (select id from tanks where no = tank_no) end as tank_id
  from (
    (
      select null as city, ${ADDED_GROUPS} from counted where not is_alone
      group by cell_y, cell_x order by tanks desc limit ${MAX_MAP_CELLS}
    ) union all (
      select city, ${ADDED_GROUPS} from counted where city is not null
      group by city order by tanks desc, city limit ${MAX_PLACES}
    )
  ) as shown`;

const pointBox = ({ latitude, longitude }: TankRow): Box => ({
  west: longitude,
  south: latitude,
  east: longitude,
  north: latitude,
});

/** The smallest box around all boxes. */
const boundsOf = (boxes: readonly Box[]): Box | null =>
  boxes.reduce<Box | null>(
    (bounds, { west, south, east, north }) => ({
      west: Math.min(west, bounds?.west ?? west),
      south: Math.min(south, bounds?.south ?? south),
      east: Math.max(east, bounds?.east ?? east),
      north: Math.max(north, bounds?.north ?? north),
    }),
    null,
  );

const mapTank = (row: TankRow): MapTank => ({
  id: row.id,
  latitude: row.latitude,
  longitude: row.longitude,
  status: TANK_STATUSES.filter((name) => row[`is_${name}`]),
});

/** Groups tanks by city, as `groupText` does in SQL. */
function placesOf(tanks: readonly TankRow[]): MapPlace[] {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  return [...Map.groupBy(tanks, ({ city }) => city)]
    .flatMap(([city, rows]): MapPlace[] => {
      if (city === null) return [];
      const counts = countsOf((name) => rows.filter((row) => row[`is_${name}`]).length);
      const latitude = mean(rows.map((row) => row.latitude));
      return [{ city, latitude, longitude: mean(rows.map((row) => row.longitude)), tanks: rows.length, counts }];
    })
    .toSorted((a, b) => b.tanks - a.tanks || a.city.localeCompare(b.city))
    .slice(0, MAX_PLACES);
}

const countsOf = (count: (name: TankStatusName) => number): MapCell['counts'] => ({
  losing: count('losing'),
  low: count('low'),
  gauge_unreliable: count('gauge_unreliable'),
  silent: count('silent'),
  soon: count('soon'),
  refilled: count('refilled'),
});
