import { DAY_MS, HOUR_MS } from '../src/values/time.ts';
import { type Cloud, startCloud } from './clouds.ts';

/** The temperature of a time, in °C. */
type Weather = (atMs: number) => number;

const iso = (atMs: number): string => new Date(atMs).toISOString().replace('.000Z', '+00:00');

export interface NwsOptions {
  /** The time at which the observations end and the forecast begins. */
  nowMs: number;
  weather: Weather;
  /** The stations by their identifiers, such as `KBKF`. */
  stations: Readonly<Record<string, { latitude: number; longitude: number }>>;
  timeZone: string;
}

/**
 * Starts a server that answers as https://www.weather.gov/documentation/services-web-api describes api.weather.gov, with the
 * fields of answers that the project weather-gov/weather.gov has recorded (2024 to 2026). The values are invented.
 * Without a User-Agent that names a contact, it answers 403.
 */
export function startNws({ nowMs, weather, stations, timeZone }: NwsOptions): Promise<Cloud> {
  const hour = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
  return startCloud('', {}, (request, url, fault) => {
    if (!/\(.+@.+\)/.test(request.headers['user-agent'] ?? '')) return 403;
    const renamed = fault !== undefined && 'fields' in fault;
    const [, kind, first = '', second = '', third = ''] = url.pathname.split('/');
    const found = (id: string) => stations[id];
    if (kind === 'points') {
      const [latitude = 0, longitude = 0] = first.split(',').map(Number);
      const nearest = Object.entries(stations).find(
        ([, at]) => Math.abs(at.latitude - latitude) < 0.3 && Math.abs(at.longitude - longitude) < 0.3,
      );
      if (nearest === undefined) return 404;
      const grid = Object.keys(stations).indexOf(nearest[0]);
      const base = `https://api.weather.gov/gridpoints/BOU/${grid},61`;
      const properties = { gridId: 'BOU', gridX: grid, gridY: 61, timeZone, forecastHourly: `${base}/forecast/hourly` };
      return { type: 'Feature', geometry: { type: 'Point', coordinates: [longitude, latitude] }, properties };
    }
    if (kind === 'gridpoints' && first === 'BOU') {
      const [id = '', at] = Object.entries(stations)[Number(second.split(',')[0])] ?? [];
      if (at === undefined) return 404;
      if (third === 'stations') {
        const properties = { stationIdentifier: id, name: id, timeZone, provider: 'ASOS' };
        const geometry = { type: 'Point', coordinates: [at.longitude, at.latitude] };
        return { type: 'FeatureCollection', features: [{ type: 'Feature', geometry, properties }] };
      }
      const periods = Array.from({ length: 156 }, (_, n) => ({
        number: n + 1,
        startTime: iso(hour + n * HOUR_MS),
        endTime: iso(hour + (n + 1) * HOUR_MS),
        [renamed ? 'temp' : 'temperature']: Math.round(weather(hour + n * HOUR_MS) * 1.8 + 32),
        temperatureUnit: 'F',
        temperatureTrend: null,
        probabilityOfPrecipitation: { unitCode: 'wmoUnit:percent', value: 3 },
      }));
      const properties = { units: 'us', forecastGenerator: 'HourlyForecastGenerator', updateTime: iso(hour), periods };
      return { type: 'Feature', geometry: null, properties };
    }
    if (kind === 'stations' && found(first) !== undefined && second === 'observations') {
      const [start, end] = ['start', 'end'].map((name) => Date.parse(url.searchParams.get(name) ?? ''));
      const times: number[] = [];
      for (let atMs = hour - 7 * DAY_MS; atMs <= hour; atMs += HOUR_MS)
        if (atMs >= (start ?? 0) && atMs <= (end ?? 0)) times.unshift(atMs - HOUR_MS / 15);
      const features = times.slice(0, Number(url.searchParams.get('limit'))).flatMap((atMs, n) => {
        const measured = (celsius: number | null, qualityControl: string) => ({
          type: 'Feature',
          properties: {
            timestamp: iso(atMs),
            temperature: { unitCode: 'wmoUnit:degC', value: celsius, qualityControl },
            dewpoint: { unitCode: 'wmoUnit:degC', value: null, qualityControl: 'Z' },
          },
        });
        // Some observations have no value, and some are wrong and marked as wrong.
        return n % 12 === 0
          ? [measured(null, 'Z'), measured(54, 'X')]
          : [measured(Math.round(weather(atMs) * 10) / 10, 'V')];
      });
      return { type: 'FeatureCollection', features };
    }
    return 404;
  });
}

export interface DwdOptions {
  nowMs: number;
  weather: Weather;
  /** Makes an archive of one file. */
  zip: (name: string, content: Buffer) => Buffer;
}

const day8 = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10).replaceAll('-', '');

/**
 * Starts a server with files like those of opendata.dwd.de, made from the descriptions of MOSMIX and of the daily climate values, and
 * from public copies of their first lines (2025 and 2026). Berlin is 52° 28′ N, 13° 24′ E in the catalog.
 */
export function startDwd({ nowMs, weather, zip }: DwdOptions): Promise<Cloud> {
  const hour = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
  const CLIMATE = '/climate_environment/CDC/observations_germany/climate/daily/kl/recent';
  return startCloud('', {}, (_, { pathname }, fault) => {
    const renamed = fault !== undefined && 'fields' in fault;
    const latin = (lines: readonly string[]): Buffer => Buffer.from(`${lines.join('\r\n')}\r\n`, 'latin1');
    if (pathname === '/catalog.cfg')
      return latin([
        'ID    ICAO NAME                 LAT    LON     ELEV',
        '----- ---- -------------------- -----  ------- -----',
        '10384 EDDI BERLIN-TEMPELHOF      52.28   13.24    48',
        'K1174 ---- MÜNCHEN-RIEM          48.08   11.42   529',
        '01025 ---- TROMSOE               69.41   18.55    10',
      ]);
    if (pathname === `${CLIMATE}/KL_Tageswerte_Beschreibung_Stationen.txt`) {
      const yesterday = day8(nowMs - DAY_MS);
      return latin([
        'Stations_id von_datum bis_datum Stationshoehe geoBreite geoLaenge Stationsname Bundesland Abgabe',
        '----------- --------- --------- ------------- --------- --------- ----------------------------------------- ---------- ------',
        '00399 19500401 20110331             36     52.4700   13.4000 Berlin-Geschlossen                       Berlin Frei',
        `00433 19480101 ${yesterday}             48     52.4675   13.4021 Berlin-Tempelhof                         Berlin Frei`,
        `03379 19540601 ${yesterday}            515     48.1632   11.5429 München-Stadt                            Bayern Frei`,
      ]);
    }
    if (pathname === `${CLIMATE}/tageswerte_KL_00433_akt.zip`) {
      const rows = Array.from({ length: 550 }, (_day, n) => {
        const atMs = Math.floor(nowMs / DAY_MS) * DAY_MS - (550 - n) * DAY_MS;
        const mean = n % 100 === 7 ? '-999' : `   ${weather(atMs + DAY_MS / 2).toFixed(1)}`;
        return `        433;${day8(atMs)};   10;   9.1;   2.8;    9;   0.0;   0;-999;   0;   5.9;   6.0; 1029.10;${mean};   88.00;    3.8;   -3.2;   -7.5;eor`;
      });
      const header = `STATIONS_ID;MESS_DATUM;QN_3;  FX;  FM;QN_4; RSK;RSKF; SDK;SHK_TAG;  NM; VPM;  PM; ${renamed ? 'TM' : 'TMK'}; UPM; TXK; TNK; TGK;eor`;
      return zip(`produkt_klima_tag_${day8(nowMs - 550 * DAY_MS)}_${day8(nowMs)}_00433.txt`, latin([header, ...rows]));
    }
    const [, id = ''] = /\/MOSMIX_L\/single_stations\/(\w+)\/kml\/MOSMIX_L_LATEST_\1\.kmz$/.exec(pathname) ?? [];
    if (id !== '10384') return 404;
    const times = Array.from({ length: 240 }, (_step, n) => hour + (n + 1) * HOUR_MS);
    const kelvin = times.map((atMs, n) => (n % 50 === 49 ? '     -' : ` ${(weather(atMs) + 273.15).toFixed(2)}`));
    const kml = `<?xml version="1.0" encoding="ISO-8859-1" standalone="yes"?>
<kml:kml xmlns:dwd="https://opendata.dwd.de/weather/lib/pointforecast_dwd_extension_V1_0.xsd" xmlns:kml="http://www.opengis.net/kml/2.2">
<kml:Document><kml:ExtendedData><dwd:ProductDefinition><dwd:Issuer>Deutscher Wetterdienst</dwd:Issuer>
<dwd:ProductID>MOSMIX</dwd:ProductID><dwd:IssueTime>${new Date(hour).toISOString()}</dwd:IssueTime><dwd:ForecastTimeSteps>
${times.map((atMs) => `<dwd:TimeStep>${new Date(atMs).toISOString()}</dwd:TimeStep>`).join('\n')}
</dwd:ForecastTimeSteps></dwd:ProductDefinition></kml:ExtendedData><kml:Placemark><kml:name>${id}</kml:name>
<kml:description>BERLIN-TEMPELHOF</kml:description><kml:ExtendedData>
<dwd:Forecast dwd:elementName="PPPP"><dwd:value> ${times.map(() => '101320.00').join(' ')}</dwd:value></dwd:Forecast>
<dwd:Forecast dwd:elementName="${renamed ? 'T2M' : 'TTT'}"><dwd:value>${kelvin.join(' ')}</dwd:value></dwd:Forecast>
</kml:ExtendedData></kml:Placemark></kml:Document></kml:kml>`;
    return zip(`MOSMIX_L_${day8(hour)}_${id}.kml`, Buffer.from(kml, 'latin1'));
  });
}
