import type { CloudSettings, JsonSettings } from './connector_settings.ts';

/** A cloud that is asked over HTTP. All differences between clouds are in this description. */
export interface JsonSource {
  /** The addresses of readings. After three failures, the next address is used. */
  urls: readonly string[];
  profile: string;
  headers: Readonly<Record<string, string>>;
  times: 'iso' | 'unix' | 'unix_ms';
  pages: { first: number; size: number } | null;
  nextPath: string | null;
  login: { url: string; tokenPath: string } | null;
  devices: { url: string; path: string } | null;
  /** True if readings of a given period can be requested. Otherwise each round requests the latest ones. */
  hasHistory: boolean;
  intervalMinutes: number;
  requestsPerMinute: number;
  overlapHours: number;
  catalog: CloudCatalog | null;
}

/** The address and the paths at which a cloud describes the tanks of its devices. */
export interface CloudCatalog {
  url: string;
  /** The path of the list of devices; `*` if the response is the list. */
  each: string;
  device: string;
  /** The path of each column of an import. */
  columns: Readonly<Record<string, string>>;
}

const DEFAULTS = { intervalMinutes: 15, requestsPerMinute: 60, overlapHours: 48 };

const OTODATA_URLS = [
  'https://telematics.otodatanetwork.com:4431/v1.0/DataService.svc',
  'https://telematics02.otodatanetwork.com:4431/v1.0/DataService.svc',
];
const TANK_UTILITY_URL = 'https://data.tankutility.com/api';

export const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

export function jsonSourceOf(settings: CloudSettings): JsonSource {
  const common = {
    intervalMinutes: settings.interval_minutes ?? DEFAULTS.intervalMinutes,
    requestsPerMinute: settings.requests_per_minute ?? DEFAULTS.requestsPerMinute,
    overlapHours: ('overlap_hours' in settings ? settings.overlap_hours : undefined) ?? DEFAULTS.overlapHours,
  };
  if (settings.kind === 'json') return { ...common, ...ownSource(settings) };
  return settings.kind === 'otodata'
    ? { ...common, ...otodata((settings.urls ?? OTODATA_URLS).map(withoutSlash)) }
    : { ...common, ...tankUtility(withoutSlash(settings.url ?? TANK_UTILITY_URL)) };
}

type OwnParts = Omit<JsonSource, 'intervalMinutes' | 'requestsPerMinute' | 'overlapHours'>;

/** The key is sent in a header, because proxies log addresses. Without the header Accept, the response is XML. */
const otodata = (urls: readonly string[]): OwnParts => ({
  urls: urls.map((url) => `${url}/tanklevels?startDateUtc={from}&endDateUtc={to}&page={page}`),
  profile: 'otodata-neevo',
  headers: { authorization: 'Bearer {secret}', accept: 'application/json; charset=utf-8' },
  times: 'iso',
  pages: { first: 0, size: 10_000 },
  nextPath: null,
  login: null,
  devices: null,
  hasHistory: true,
  catalog: {
    url: `${urls[0]}/devices`,
    each: '*',
    device: 'Id',
    columns: {
      owner: 'CustomerId',
      customer_name: 'Name',
      name: 'TankName',
      custom_id: 'TankNumber',
      capacity: 'Capacity',
      product: 'Product',
      street: 'Address',
      city: 'City',
      region: 'Region',
      postal_code: 'PostalCode',
      country: 'Country',
    },
  },
});

/** A token lasts for a day. The cloud has no history, only the last reading of each device. */
const tankUtility = (url: string): OwnParts => ({
  urls: [`${url}/devices/{device}?token={token}`],
  profile: 'tank-utility',
  headers: { accept: 'application/json' },
  times: 'iso',
  pages: null,
  nextPath: null,
  login: { url: `${url}/getToken`, tokenPath: 'token' },
  devices: { url: `${url}/devices?token={token}`, path: 'devices' },
  hasHistory: false,
  catalog: {
    url: `${url}/devices/{device}?token={token}`,
    each: 'device',
    device: 'device_id',
    columns: { name: 'name', capacity: 'capacity', product: 'fuelType', street: 'address' },
  },
});

const ownSource = (settings: JsonSettings): OwnParts => ({
  urls: [settings.url],
  profile: settings.profile,
  headers: {
    accept: 'application/json',
    ...(settings.header && { [settings.header.name.toLowerCase()]: settings.header.value }),
  },
  times: settings.times ?? 'iso',
  pages: settings.pages ?? null,
  nextPath: settings.next_path ?? null,
  login: settings.login ? { url: settings.login.url, tokenPath: settings.login.token_path } : null,
  devices: settings.devices ?? null,
  hasHistory: settings.url.includes('{from}'),
  catalog: null,
});
