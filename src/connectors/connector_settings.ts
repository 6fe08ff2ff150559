import { type Static, type TObject, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { isObject } from '../values/json.ts';

export const CONNECTOR_KINDS = ['otodata', 'tank_utility', 'json', 'mqtt'] as const;
export type ConnectorKind = (typeof CONNECTOR_KINDS)[number];

const closed = { additionalProperties: false };
const Address = Type.String({ minLength: 8, maxLength: 2_000 });
const Path = Type.String({ pattern: '^[^.\\s]{1,64}(\\.[^.\\s]{1,64}){0,7}$' });
const Profile = Type.String({ pattern: '^[a-z0-9-]{1,64}$' });
const HeaderName = Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$' });

/** How a cloud is asked. */
const asked = {
  /** The time between two rounds. */
  interval_minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_440 })),
  /** The rate limit of the other side. */
  requests_per_minute: Type.Optional(Type.Integer({ minimum: 1, maximum: 6_000 })),
};
/** Of a cloud with history. */
const history = {
  /** How far back readings are looked for that came late to the cloud. */
  overlap_hours: Type.Optional(Type.Integer({ minimum: 0, maximum: 720 })),
};

const OtodataSettings = Type.Object(
  {
    ...asked,
    ...history,
    /** The addresses of the service, the second for when the first fails. */
    urls: Type.Optional(Type.Array(Address, { minItems: 1, maxItems: 4 })),
  },
  closed,
);
const TankUtilitySettings = Type.Object({ ...asked, url: Type.Optional(Address) }, closed);

const JsonSettings = Type.Object(
  {
    ...asked,
    ...history,
    /** With {from}, {to}, {page}, {cursor}, {device} and {token}, if the API has them. */
    url: Address,
    profile: Profile,
    /** {secret} stands for the secret. */
    header: Type.Optional(
      Type.Object({ name: HeaderName, value: Type.String({ minLength: 1, maxLength: 200 }) }, closed),
    ),
    times: Type.Optional(Type.Enum(['iso', 'unix', 'unix_ms'])),
    /** Pages by number, of at most `size` readings. */
    pages: Type.Optional(
      Type.Object(
        { first: Type.Integer({ minimum: 0, maximum: 1 }), size: Type.Integer({ minimum: 1, maximum: 10_000 }) },
        closed,
      ),
    ),
    /** Where an answer has the {cursor} or the address of its next page. */
    next_path: Type.Optional(Path),
    /** Asked first, with the secret as user:password; its answer has the {token}. */
    login: Type.Optional(Type.Object({ url: Address, token_path: Path }, closed)),
    /** Its answer lists the devices, each of which is then asked for. */
    devices: Type.Optional(Type.Object({ url: Address, path: Path }, closed)),
  },
  closed,
);

const MqttSettings = Type.Object(
  {
    /** mqtts://broker.example.com:8883 */
    url: Address,
    user: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    /** Topic filters, each with the profile that reads its messages; without one, as the gateway reads them. */
    topics: Type.Array(
      Type.Object(
        {
          filter: Type.String({ minLength: 1, maxLength: 200 }),
          profile: Type.Optional(Profile),
          /** Which level of the topic is the device, from 0, if the message does not name it. */
          device_level: Type.Optional(Type.Integer({ minimum: 0, maximum: 31 })),
        },
        closed,
      ),
      { minItems: 1, maxItems: 32 },
    ),
  },
  closed,
);

export type JsonSettings = Static<typeof JsonSettings>;
export type MqttSettings = Static<typeof MqttSettings>;
export type CloudSettings = Exclude<ConnectorSettings, { kind: 'mqtt' }>;

/** What is set for a connector. The secret is not among it. */
export type ConnectorSettings =
  | ({ kind: 'otodata' } & Static<typeof OtodataSettings>)
  | ({ kind: 'tank_utility' } & Static<typeof TankUtilitySettings>)
  | ({ kind: 'json' } & JsonSettings)
  | ({ kind: 'mqtt' } & MqttSettings);

const checks = <Schema extends TObject>(schema: Schema) => {
  const compiled = Compile(schema);
  return (given: unknown): Static<Schema> | string => {
    if (compiled.Check(given)) return given;
    const [first] = compiled.Errors(given);
    const place = first?.instancePath.slice(1).replaceAll('/', '.') ?? '';
    return `${place === '' ? 'they' : place} ${first?.message ?? 'cannot be used'}`;
  };
};
const CHECKS = {
  otodata: checks(OtodataSettings),
  tank_utility: checks(TankUtilitySettings),
  json: checks(JsonSettings),
  mqtt: checks(MqttSettings),
};

/** The settings of a kind of connector, or what is wrong with them. */
export function parseSettings(kind: ConnectorKind, given: unknown): ConnectorSettings | string {
  if (!isObject(given)) return 'they must be an object';
  const parsed = CHECKS[kind](given);
  if (typeof parsed === 'string') return parsed;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the check of this kind has accepted them
  const settings = { kind, ...parsed } as ConnectorSettings;
  return contradictionOf(settings) ?? settings;
}

function contradictionOf(settings: ConnectorSettings): string | undefined {
  const schemes = settings.kind === 'mqtt' ? ['mqtts:', 'mqtt:'] : ['https:', 'http:'];
  if (addressesOf(settings).some((address) => !schemes.includes(URL.parse(address)?.protocol ?? '')))
    return `an address must begin with ${schemes[0]}//`;
  if (settings.kind !== 'json') return undefined;
  const { url, pages, next_path: nextPath, login, devices, header } = settings;
  // Everybody who may see the settings would see it.
  if (header !== undefined && !header.value.includes('{secret}'))
    return 'header.value must have {secret}: the secret is given and stored apart from the settings';
  if (pages !== undefined && !url.includes('{page}')) return 'pages need {page} in url';
  if (url.includes('{page}') && pages === undefined) return 'url has {page}, which needs pages';
  if (url.includes('{from}') !== url.includes('{to}')) return 'url needs both {from} and {to}, or neither';
  if (url.includes('{cursor}') && nextPath === undefined) return 'url has {cursor}, which needs next_path';
  if (url.includes('{token}') && login === undefined) return 'url has {token}, which needs login';
  if (url.includes('{device}') !== (devices !== undefined)) return 'devices and {device} in url need each other';
  return undefined;
}

/** The addresses that a connector asks. Those that lead to a private network are refused. */
export function addressesOf(settings: ConnectorSettings): string[] {
  const addresses = givenAddresses(settings);
  return addresses.filter((address) => address !== undefined).map((address) => address.replaceAll(/[{}]/g, ''));
}

function givenAddresses(settings: ConnectorSettings): (string | undefined)[] {
  if (settings.kind === 'otodata') return settings.urls ?? [];
  return settings.kind === 'json' ? [settings.url, settings.login?.url, settings.devices?.url] : [settings.url];
}
