import { DAY_MS, parseTimeMs } from '../../values/time.ts';
import { readZipEntry } from '../../values/zip_entry.ts';
import type { Temperature } from '../../weather/temperature_row.ts';
import { type SourceClient, SourceError } from '../source_client.ts';
import { dailyMeans, type Measured } from './daily_means.ts';
import {
  type Cell,
  nearest,
  type StoredWeather,
  temperaturesOf,
  type WeatherPlace,
  type WeatherService,
} from './weather_service.ts';

export const DWD_URL = 'https://opendata.dwd.de';
export const DWD_CATALOG_URL =
  'https://www.dwd.de/DE/leistungen/met_verfahren_mosmix/mosmix_stationskatalog.cfg?view=nasPublication&nn=16102';
const CLIMATE = 'climate_environment/CDC/observations_germany/climate/daily/kl/recent';
const MOSMIX = 'weather/local_forecasts/mos/MOSMIX_L/single_stations';
const SOURCE = 'DWD';
const TIME_ZONE = 'Europe/Berlin';
const KELVIN = 273.15;
/** A file of one station has less than 1 MB. */
const MAX_FILE_BYTES = 16 * 1_024 * 1_024;
/** A station that has not reported for longer than this counts as closed. */
const MAX_SILENT_DAYS = 15;
/** The files have about 550 days. Once 300 days are stored, only the last 30 are used, because they may still be corrected. */
const ARCHIVE_DAYS = 300;
const CORRECTED_DAYS = 30;

/**
 * Open data of the Deutscher Wetterdienst (CC BY 4.0). Forecasts come from MOSMIX_L, with a KMZ file per station. Observations are the
 * daily climate values, with a ZIP file per station. The two have different stations.
 */
export class DeutscherWetterdienst implements WeatherService {
  readonly intervalMinutes: number;
  readonly #client: Pick<SourceClient, 'getBytes'>;
  readonly #url: string;
  readonly #catalogUrl: string;

  constructor(
    client: Pick<SourceClient, 'getBytes'>,
    { url, catalogUrl, intervalMinutes }: { url: string; catalogUrl: string; intervalMinutes: number },
  ) {
    this.#client = client;
    this.#url = url;
    this.#catalogUrl = catalogUrl;
    this.intervalMinutes = intervalMinutes;
  }

  /** Reads two files with all stations. MOSMIX has stations all over the world; those without a climate station nearby are left out. */
  async *findPlaces(cells: readonly Cell[]) {
    if (cells.length === 0) return;
    const mosmix = parseMosmixCatalog(await this.#text(this.#catalogUrl));
    const climate = parseClimateStations(
      await this.#text(`${this.#url}/${CLIMATE}/KL_Tageswerte_Beschreibung_Stationen.txt`),
      Date.now(),
    );
    if (mosmix.length === 0) throw new SourceError('changed', 'the catalog of MOSMIX stations cannot be read');
    if (climate.length === 0) throw new SourceError('changed', 'the list of climate stations cannot be read');
    for (const cell of cells) {
      const forecast = nearest(cell, mosmix);
      const observed = forecast && nearest(forecast, climate);
      const place = observed && {
        name: `DWD ${forecast.id}`,
        latitude: forecast.latitude,
        longitude: forecast.longitude,
        time_zone: TIME_ZONE,
        forecast: forecast.id,
        observed: observed.id,
      };
      yield { cell, place: place ?? null };
    }
  }

  async temperatures(place: WeatherPlace, { observedDays, nowMs }: StoredWeather): Promise<Temperature[]> {
    const { forecast: id, observed } = place;
    const kml = await this.#unpack(`${MOSMIX}/${id}/kml/MOSMIX_L_LATEST_${id}.kmz`, /\.kml$/i);
    const { issuedAtMs, hours } = parseMosmix(kml);
    const table = await this.#unpack(`${CLIMATE}/tageswerte_KL_${observed}_akt.zip`, /^produkt_klima_tag_.*\.txt$/i);
    const firstDay = observedDays.size < ARCHIVE_DAYS ? 0 : Math.floor(nowMs / DAY_MS) - CORRECTED_DAYS;
    return [
      ...temperaturesOf(place, dailyMeans(hours, TIME_ZONE), { kind: 'forecast', source: SOURCE, issuedAtMs }),
      ...temperaturesOf(
        place,
        parseDailyClimate(table).filter(([day]) => day >= firstDay),
        { kind: 'observed', source: SOURCE },
      ),
    ];
  }

  /** Reads a text. All texts of the service are in Latin-1, and the parts that are used are ASCII. */
  async #text(url: string): Promise<string> {
    return (await this.#client.getBytes(url)).toString('latin1');
  }

  async #unpack(path: string, name: RegExp): Promise<string> {
    const archive = await this.#client.getBytes(`${this.#url}/${path}`);
    const file = await readZipEntry(archive, name, MAX_FILE_BYTES).catch(() => undefined);
    if (file === undefined) throw new SourceError('changed', 'a file of the service cannot be unpacked');
    return file.toString('latin1');
  }
}

interface DwdStation extends Cell {
  id: string;
}

/** Parses lines of ID, ICAO, name, latitude, longitude, height. The coordinates are degrees and minutes: 52.31 is 52° 31′. */
export function parseMosmixCatalog(text: string): DwdStation[] {
  const line = /^(\w{4,5})\s+\S{4}\s.{20}\s+(-?\d{1,2}\.\d\d)\s+(-?\d{1,3}\.\d\d)\s+-?\d+\s*$/;
  return text.split('\n').flatMap((row) => {
    const [, id = '', latitude = '', longitude = ''] = line.exec(row.trimEnd()) ?? [];
    return id === '' ? [] : [{ id, latitude: fromMinutes(latitude), longitude: fromMinutes(longitude) }];
  });
}

function fromMinutes(text: string): number {
  const [degrees = '', minutes = ''] = text.replace('-', '').split('.');
  const value = Number(degrees) + Number(minutes) / 60;
  return text.startsWith('-') ? -value : value;
}

/** Parses lines of Stations_id, von_datum, bis_datum, height, geoBreite, geoLaenge (in decimal degrees). Leaves out closed stations. */
export function parseClimateStations(text: string, nowMs: number): DwdStation[] {
  const line = /^\s*(\d{5})\s+\d{8}\s+(\d{8})\s+-?\d+\s+(-?\d+\.\d+)\s+(-?\d+\.\d+)\s/;
  return text.split('\n').flatMap((row) => {
    const [, id = '', until = '', latitude = '', longitude = ''] = line.exec(row) ?? [];
    const lastDay = parseDay(until);
    if (lastDay === undefined || lastDay < nowMs / DAY_MS - MAX_SILENT_DAYS) return [];
    return [{ id, latitude: Number(latitude), longitude: Number(longitude) }];
  });
}

/** Parses a day such as 20260131 into days since 1970. */
function parseDay(text: string): number | undefined {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(text) ?? [];
  const atMs = parseTimeMs(`${year}-${month}-${day}`, { allowDateOnly: true });
  return atMs === undefined ? undefined : Math.floor(atMs / DAY_MS);
}

/** Parses TTT, the temperature 2 m above the ground in kelvins, with one value for each time step; `-` is a missing value. */
function parseMosmix(kml: string): { issuedAtMs: number; hours: Measured[] } {
  const issuedAtMs = parseTimeMs(/<dwd:IssueTime>([^<]+)</.exec(kml)?.[1] ?? '');
  const steps = [...kml.matchAll(/<dwd:TimeStep>([^<]+)</g)].map(([, at = '']) => parseTimeMs(at));
  const [, values = ''] = /<dwd:Forecast\s+dwd:elementName="TTT">\s*<dwd:value>([^<]*)</.exec(kml) ?? [];
  const kelvin = values.trim().split(/\s+/);
  if (issuedAtMs === undefined || steps.length === 0 || kelvin.length !== steps.length)
    throw new SourceError('changed', 'the forecast of MOSMIX has no temperatures, or not one for each time');
  const hours = kelvin.flatMap((text, index) => {
    const atMs = steps[index];
    return atMs === undefined || !/^\d+(\.\d+)?$/.test(text) ? [] : [{ atMs, celsius: Number(text) - KELVIN }];
  });
  if (hours.length === 0) throw new SourceError('changed', 'the forecast of MOSMIX has no temperatures');
  return { issuedAtMs, hours };
}

const MISSING = -999;

/** Parses the column TMK, the mean of a day (UTC) in °C. */
function parseDailyClimate(text: string): [day: number, celsius: number][] {
  const [header = '', ...lines] = text.split('\n');
  const columns = header.split(';').map((name) => name.trim());
  const [dateAt, meanAt] = [columns.indexOf('MESS_DATUM'), columns.indexOf('TMK')];
  if (dateAt < 0 || meanAt < 0) throw new SourceError('changed', 'the daily climate values have no TMK');
  return lines.flatMap((line) => {
    const cells = line.split(';').map((cell) => cell.trim());
    const [day, mean] = [parseDay(cells[dateAt] ?? ''), cells[meanAt] ?? ''];
    return day === undefined || !/^-?\d+(\.\d+)?$/.test(mean) || Number(mean) === MISSING ? [] : [[day, Number(mean)]];
  });
}
