import type { Db } from '../../db/pool.ts';
import { DAY_MS } from '../../values/time.ts';
import { MAX_TEMPERATURES, storeTemperatures } from '../../weather/store_temperatures.ts';
import type { Temperature } from '../../weather/temperature_row.ts';
import { askEach } from '../ask_each.ts';
import { SourceError } from '../source_client.ts';
import { type Cell, type FoundCell, type WeatherPlace, type WeatherService } from './weather_service.ts';

/** Tanks are grouped by a quarter of a degree, at most 28 km, so that the service learns no address and there are few requests. */
const CELLS_PER_DEGREE = 4;
const MAX_CELLS = 200;
/** A place is looked up again after this time, because grids of services change and stations are closed. */
const FOUND_FOR_MS = 30 * DAY_MS;

/** The cells in which an organization has tanks, those with the most tanks first. */
export async function tankCells(db: Db, organizationNo: number): Promise<Cell[]> {
  const { rows } = await db.query<Cell>(
    `select round(latitude * $2) / $2 as latitude, round(longitude * $2) / $2 as longitude from tanks
     where organization_no = $1 and deleted_at is null and latitude is not null and longitude is not null
     group by 1, 2 order by count(*) desc, 1, 2 limit $3`,
    [organizationNo, CELLS_PER_DEGREE, MAX_CELLS],
  );
  return rows;
}

const keyOf = ({ latitude, longitude }: Cell): string => `${latitude},${longitude}`;

export interface WeatherRound {
  service: WeatherService;
  organizationNo: number;
  cells: readonly FoundCell[];
  /** The place after which an interrupted round continues. */
  afterPlace: string | null;
  nowMs: number;
  remember: (memory: object) => Promise<void>;
  moveOn: (afterPlace: string | null) => Promise<void>;
}

/** Finds the places of the tanks, and stores the temperatures of each place. */
export async function readWeather(db: Db, round: WeatherRound): Promise<void> {
  const { service, organizationNo, nowMs, remember, moveOn } = round;
  let cells = await findCells(db, round);
  const places = placesOf(cells);
  const left = places.filter(({ name }) => round.afterPlace === null || name > round.afterPlace);
  const answers = askEach(left, async (place) => {
    const stored = { observedDays: await observedDays(db, organizationNo, place.name), nowMs };
    return service.temperatures(place, stored).catch(async (error: unknown) => {
      // The place may have another grid square or station now, so it is looked up again.
      if (error instanceof SourceError && error.problem === 'changed') {
        cells = cells.filter((cell) => cell.place?.name !== place.name);
        await remember({ cells });
      }
      throw error;
    });
  });
  for await (const { item: place, answer } of answers) {
    await storeAll(db, organizationNo, answer);
    await moveOn(place.name);
  }
  await moveOn(null);
  const names = places.map(({ name }) => name);
  await remember({ cells, devices: names.length, tanks: await tanksOf(db, organizationNo, names) });
}

const placesOf = (cells: readonly FoundCell[]): WeatherPlace[] =>
  [...new Map(cells.flatMap(({ place }) => (place === null ? [] : [[place.name, place] as const]))).values()].toSorted(
    (a, b) => (a.name < b.name ? -1 : 1),
  );

/** Looks up the places of new cells. Each is remembered at once, so that an interrupted round does not look it up again. */
async function findCells(
  db: Db,
  { service, organizationNo, cells: known, nowMs, remember }: WeatherRound,
): Promise<FoundCell[]> {
  const fresh = new Map(
    known.filter(({ found_at }) => nowMs - found_at < FOUND_FOR_MS).map((cell) => [keyOf(cell), cell]),
  );
  const wanted = await tankCells(db, organizationNo);
  const cells = wanted.map((cell) => fresh.get(keyOf(cell))).filter((cell) => cell !== undefined);
  for await (const { cell, place } of service.findPlaces(wanted.filter((found) => !fresh.has(keyOf(found))))) {
    cells.push({ ...cell, found_at: nowMs, place });
    await remember({ cells });
  }
  return cells;
}

async function observedDays(db: Db, organizationNo: number, place: string): Promise<ReadonlySet<number>> {
  const { rows } = await db.query<{ day: number }>(
    `select t.on_date - date '1970-01-01' as day from place_temperatures t join places p on p.no = t.place_no
     where p.organization_no = $1 and p.name = $2 and t.kind = 'observed'`,
    [organizationNo, place],
  );
  return new Set(rows.map(({ day }) => day));
}

export async function tanksOf(db: Db, organizationNo: number, places: readonly string[]): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    `select count(*)::int as n from tank_weather w join places p on p.no = w.place_no
     where p.organization_no = $1 and p.name = any ($2)`,
    [organizationNo, places],
  );
  return rows[0]?.n ?? 0;
}

/** Stores temperatures in parts, because a transaction locks the places of the organization. */
export async function storeAll(db: Db, organizationNo: number, temperatures: readonly Temperature[]): Promise<void> {
  for (let from = 0; from < temperatures.length; from += MAX_TEMPERATURES)
    await storeTemperatures(db, organizationNo, temperatures.slice(from, from + MAX_TEMPERATURES));
}
