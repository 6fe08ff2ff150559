import { type Static, type TObject, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { Path } from '../gauges/profiles/profile.ts';
import { DECIMAL_MARKS } from '../values/decimal.ts';
import { isObject } from '../values/json.ts';
import { DATE_ORDERS } from '../values/text_format.ts';
import { TEMPERATURE_COLUMNS } from '../weather/temperature_row.ts';

const closed = { additionalProperties: false };
const Address = Type.String({ minLength: 8, maxLength: 2_000 });
const Profile = Type.String({ pattern: '^[a-z0-9-]{1,64}$' });
const HeaderName = Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$' });

/** The settings of sources that are polled over HTTP. */
const polling = {
  /** The time between two rounds. */
  interval_minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_440 })),
  /** The rate limit of the source. */
  requests_per_minute: Type.Optional(Type.Integer({ minimum: 1, maximum: 6_000 })),
};
/** A header of requests. {secret} stands for the secret. */
const Header = Type.Object({ name: HeaderName, value: Type.String({ minLength: 1, maxLength: 200 }) }, closed);

/** The settings of a cloud with history. */
const history = {
  /** Readings that came late to the cloud are looked for in this many past hours. */
  overlap_hours: Type.Optional(Type.Integer({ minimum: 0, maximum: 720 })),
};

const OtodataSettings = Type.Object(
  {
    ...polling,
    ...history,
    /** The addresses of the service. After three failures, the next one is asked. */
    urls: Type.Optional(Type.Array(Address, { minItems: 1, maxItems: 4 })),
  },
  closed,
);
const TankUtilitySettings = Type.Object({ ...polling, url: Type.Optional(Address) }, closed);

const JsonSettings = Type.Object(
  {
    ...polling,
    ...history,
    /** The address of readings. It may have {from}, {to}, {page}, {cursor}, {device} and {token}. */
    url: Address,
    profile: Profile,
    header: Type.Optional(Header),
    times: Type.Optional(Type.Enum(['iso', 'unix', 'unix_ms'])),
    /** Present if the source has numbered pages of at most `size` readings. */
    pages: Type.Optional(
      Type.Object(
        { first: Type.Integer({ minimum: 0, maximum: 1 }), size: Type.Integer({ minimum: 1, maximum: 10_000 }) },
        closed,
      ),
    ),
    /** The path of the {cursor} or of the address of the next page in a response. */
    next_path: Type.Optional(Path),
    /** This address is asked first, with the secret as user:password. Its response has the {token}. */
    login: Type.Optional(Type.Object({ url: Address, token_path: Path }, closed)),
    /** The response of this address lists the devices. Then the readings of each device are requested. */
    devices: Type.Optional(Type.Object({ url: Address, path: Path }, closed)),
  },
  closed,
);

const MqttSettings = Type.Object(
  {
    /** mqtts://broker.example.com:8883 */
    url: Address,
    user: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    /** Topic filters, each with the profile of its messages. Without a profile, messages are decoded as by the gateway. */
    topics: Type.Array(
      Type.Object(
        {
          filter: Type.String({ minLength: 1, maxLength: 200 }),
          profile: Type.Optional(Profile),
          /** The level of the topic that names the device, from 0, if the message does not name it. */
          device_level: Type.Optional(Type.Integer({ minimum: 0, maximum: 31 })),
        },
        closed,
      ),
      { minItems: 1, maxItems: 32 },
    ),
  },
  closed,
);

const HomeAssistantSettings = Type.Object(
  {
    url: Address,
    user: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    /** The ids of the tanks to publish. If absent, all tanks are published. An empty list takes back all published tanks. */
    tanks: Type.Optional(
      Type.Array(Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }), { maxItems: 200 }),
    ),
    /** The discovery prefix of Home Assistant. */
    discovery_prefix: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$', maxLength: 100 })),
  },
  closed,
);

const NwsSettings = Type.Object(
  {
    ...polling,
    /** A mail address or a page by which the service can reach the operator. It is sent in the header User-Agent. */
    contact: Type.String({ pattern: '^[\\x21-\\x27\\x2a-\\x7e]{3,100}$' }),
    url: Type.Optional(Address),
  },
  closed,
);
const DwdSettings = Type.Object(
  { ...polling, url: Type.Optional(Address), catalog_url: Type.Optional(Address) },
  closed,
);
const WeatherFileSettings = Type.Object(
  {
    ...polling,
    url: Address,
    header: Type.Optional(Header),
    /** The place of the temperatures if the file does not name one. */
    station: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    /** The names of the columns in the file, by their names in Tankwatch. */
    columns: Type.Optional(
      Type.Partial(
        Type.Record(Type.Enum([...TEMPERATURE_COLUMNS]), Type.String({ minLength: 1, maxLength: 100 })),
        closed,
      ),
    ),
    decimal: Type.Optional(Type.Enum([...DECIMAL_MARKS])),
    date_order: Type.Optional(Type.Enum([...DATE_ORDERS])),
  },
  closed,
);

const SCHEMAS = {
  otodata: OtodataSettings,
  tank_utility: TankUtilitySettings,
  json: JsonSettings,
  mqtt: MqttSettings,
  nws: NwsSettings,
  dwd: DwdSettings,
  weather_csv: WeatherFileSettings,
  home_assistant: HomeAssistantSettings,
};
export type ConnectorKind = keyof typeof SCHEMAS;
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the object above
export const CONNECTOR_KINDS = Object.keys(SCHEMAS) as ConnectorKind[];

/** The kinds with a lasting connection. */
export const BROKER_KINDS: readonly ConnectorKind[] = ['mqtt', 'home_assistant'];

/** The settings of a connector, without its secret. */
export type ConnectorSettings = {
  [Kind in ConnectorKind]: { kind: Kind } & Static<(typeof SCHEMAS)[Kind]>;
}[ConnectorKind];
export type HomeAssistantSettings = Static<typeof HomeAssistantSettings>;
export type WeatherFileSettings = Static<typeof WeatherFileSettings>;
export type JsonSettings = Static<typeof JsonSettings>;
export type MqttSettings = Static<typeof MqttSettings>;
export type CloudSettings = Extract<ConnectorSettings, { kind: 'otodata' | 'tank_utility' | 'json' }>;
export type WeatherServiceSettings = Extract<ConnectorSettings, { kind: 'nws' | 'dwd' }>;
export type WeatherSettings = WeatherServiceSettings | Extract<ConnectorSettings, { kind: 'weather_csv' }>;

export const isCloud = (settings: ConnectorSettings): settings is CloudSettings =>
  settings.kind === 'otodata' || settings.kind === 'tank_utility' || settings.kind === 'json';

export const isWeather = (settings: ConnectorSettings): settings is WeatherSettings =>
  settings.kind === 'nws' || settings.kind === 'dwd' || settings.kind === 'weather_csv';

const COMPILED = new Map(CONNECTOR_KINDS.map((kind) => [kind, Compile<TObject>(SCHEMAS[kind])]));

/** Returns the settings of a kind of connector, or a text that says what is wrong with them. */
export function parseSettings(kind: ConnectorKind, given: unknown): ConnectorSettings | string {
  if (!isObject(given)) return 'they must be an object';
  const schema = COMPILED.get(kind);
  if (schema?.Check(given) !== true) {
    const [first] = schema?.Errors(given) ?? [];
    const path = first?.instancePath.slice(1).replaceAll('/', '.') ?? '';
    return `${path === '' ? 'they' : path} ${first?.message ?? 'cannot be used'}`;
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of this kind has accepted them
  const settings = { kind, ...given } as ConnectorSettings;
  return findContradiction(settings) ?? settings;
}

function findContradiction(settings: ConnectorSettings): string | undefined {
  const schemes = BROKER_KINDS.includes(settings.kind) ? ['mqtts:', 'mqtt:'] : ['https:', 'http:'];
  if (addressesOf(settings).some((address) => !schemes.includes(URL.parse(address)?.protocol ?? '')))
    return `an address must begin with ${schemes[0]}//`;
  // The host decides who gets the secret, so it must be known before anything is inserted.
  if (givenAddresses(settings).some((address) => /^[^/\\?#]*[/\\]*[^/\\?#]*[{}]/.test(address ?? '')))
    return 'an address may have placeholders only after its host';
  const header = 'header' in settings ? settings.header : undefined;
  // A secret in the settings would be visible to everybody who may read them.
  if (header !== undefined && !header.value.includes('{secret}'))
    return 'header.value must have {secret}: the secret is given and stored apart from the settings';
  if (settings.kind !== 'json') return undefined;
  const { url, pages, next_path: nextPath, login, devices } = settings;
  if (pages !== undefined && !url.includes('{page}')) return 'pages need {page} in url';
  if (url.includes('{page}') && pages === undefined) return 'url has {page}, which needs pages';
  if (url.includes('{from}') !== url.includes('{to}')) return 'url needs both {from} and {to}, or neither';
  if (url.includes('{cursor}') && nextPath === undefined) return 'url has {cursor}, which needs next_path';
  if (url.includes('{token}') && login === undefined) return 'url has {token}, which needs login';
  if (url.includes('{device}') !== (devices !== undefined)) return 'devices and {device} in url need each other';
  return undefined;
}

/** The addresses in the settings, without the braces of placeholders. The default addresses of a kind are not among them. */
export function addressesOf(settings: ConnectorSettings): string[] {
  return givenAddresses(settings)
    .filter((address) => address !== undefined)
    .map((address) => address.replaceAll(/[{}]/g, ''));
}

function givenAddresses(settings: ConnectorSettings): (string | undefined)[] {
  if (settings.kind === 'otodata') return settings.urls ?? [];
  if (settings.kind === 'dwd') return [settings.url, settings.catalog_url];
  return settings.kind === 'json' ? [settings.url, settings.login?.url, settings.devices?.url] : [settings.url];
}
