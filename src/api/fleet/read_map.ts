import type { Readers } from '../../db/readers.ts';
import { STATUS_CONDITIONS, TANK_STATUSES, type TankStatusName } from '../../fleet/status_object.ts';
import type { FleetScope } from '../../fleet/tank_page.ts';

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

/** A cell is about this wide on the screen. */
const CELL_PIXELS = 32;
const MAX_CELLS = 2_000;
const MAX_PLACES = 200;

type Counted = Record<`${TankStatusName}_tanks`, number>;
type CellRow = Omit<MapCell, 'counts'> & Counted;
type PlaceRow = Omit<MapPlace, 'counts'> & Counted;

const COUNTS = TANK_STATUSES.map(
  (name) => `count(*) filter (where ${STATUS_CONDITIONS[name]})::int as ${name}_tanks`,
).join(', ');
/** Parameters: $1 organization, $2 customer or null, $3 to $6 west, south, east and north. */
const TANKS_OF_AREA = `from tanks t join fleet_tanks f on f.tank_no = t.no
  where t.organization_no = $1 and ($2::int is null or t.owner_no = $2) and t.deleted_at is null
    and t.latitude is not null and t.longitude is not null
    and t.latitude between $4 and $6 and t.longitude between $3 and $5`;

/** Groups the tanks of an area into cells of a grid, the fullest first. Tanks without a position are not on the map. */
export async function readMap(
  readers: Readers,
  { organizationNo, customerNo }: FleetScope,
  { west, south, east, north, zoom }: MapArea,
): Promise<MapCell[]> {
  const cellDegrees = (360 * CELL_PIXELS) / (256 * 2 ** zoom);
  const rows = await readers.query<CellRow>(
    {
      name: 'fleet_map',
      text: `select avg(t.latitude) as latitude, avg(t.longitude) as longitude, count(*)::int as tanks,
          case when count(*) = 1 then min(t.id::text) end as tank_id, ${COUNTS}
        ${TANKS_OF_AREA}
        group by floor(t.latitude / $7), floor(t.longitude / $7)
        order by tanks desc limit ${MAX_CELLS}`,
    },
    [organizationNo, customerNo, west, south, east, north, cellDegrees],
  );
  return rows.map(({ latitude, longitude, tanks, tank_id, ...row }) => ({
    latitude,
    longitude,
    tanks,
    tank_id,
    counts: countsOf(row),
  }));
}

/** The cities of an area, the most tanks first. Names for the map, and a list for those who cannot see it. */
export async function readPlaces(
  readers: Readers,
  { organizationNo, customerNo }: FleetScope,
  { west, south, east, north }: MapArea,
): Promise<MapPlace[]> {
  const rows = await readers.query<PlaceRow>(
    {
      name: 'fleet_map_places',
      text: `select t.city, avg(t.latitude) as latitude, avg(t.longitude) as longitude, count(*)::int as tanks, ${COUNTS}
        ${TANKS_OF_AREA} and t.city is not null
        group by t.city order by tanks desc, t.city limit ${MAX_PLACES}`,
    },
    [organizationNo, customerNo, west, south, east, north],
  );
  return rows.map(({ city, latitude, longitude, tanks, ...row }) => ({
    city,
    latitude,
    longitude,
    tanks,
    counts: countsOf(row),
  }));
}

const countsOf = (row: Counted): Record<TankStatusName, number> => ({
  losing: row.losing_tanks,
  low: row.low_tanks,
  gauge_unreliable: row.gauge_unreliable_tanks,
  silent: row.silent_tanks,
  soon: row.soon_tanks,
  refilled: row.refilled_tanks,
});
