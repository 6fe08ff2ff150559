import { setTimeout as sleep } from 'node:timers/promises';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Db } from '../db/pool.ts';
import { MINUTE_MS, SECOND_MS } from '../values/time.ts';
import { type BrokerConnection, withBroker } from './broker_session.ts';
import type { HomeAssistantSettings } from './connector_settings.ts';

/** A new level is published within this time. */
const PUBLISH_EVERY_MS = 10 * SECOND_MS;
const MAX_TANKS = 1_000;

export interface PublishedTank {
  id: string;
  name: string;
  /** The language of the organization. */
  language: string;
  fill_percentage: number | null;
  last_seen: string | null;
  is_low: boolean;
  battery_percent: number | null;
}

/** Reads the chosen tanks of an organization, or all tanks, at most 1,000. */
export async function tanksToPublish(
  db: Db,
  organizationNo: number,
  { tanks }: HomeAssistantSettings,
): Promise<PublishedTank[]> {
  const { rows } = await db.query<PublishedTank>(
    `select t.id, t.name, o.language, s.latest_fill_percentage as fill_percentage, s.latest_at as last_seen, f.is_low,
            h.battery_percent
     from tanks t
     join organizations o on o.no = t.organization_no
     join fleet_tanks f on f.tank_no = t.no
     left join tank_states s on s.tank_no = t.no and s.latest_at > '-infinity'
     left join device_health h on h.organization_no = t.organization_no and h.device_id = split_part(t.assigned_device_id, '#', 1)
     where t.organization_no = $1 and t.deleted_at is null and ($2::uuid[] is null or t.id = any ($2))
     order by t.no limit ${MAX_TANKS}`,
    [organizationNo, tanks ?? null],
  );
  return rows;
}

/** Home Assistant's own default. */
export const DEFAULT_DISCOVERY_PREFIX = 'homeassistant';

const NAMES = {
  en: { level: 'Level', low: 'Low', last_seen: 'Last seen', battery: 'Battery' },
  es: { level: 'Nivel', low: 'Nivel bajo', last_seen: 'Última lectura', battery: 'Batería' },
};

export interface Topics {
  /** `online`, or `offline` as the last will. */
  status: string;
  config: (tankId: string) => string;
  state: (tankId: string) => string;
}

export const topicsOf = (connectorId: string, { discovery_prefix: prefix }: HomeAssistantSettings): Topics => ({
  status: `tankwatch/${connectorId}/status`,
  config: (tankId) => `${prefix ?? DEFAULT_DISCOVERY_PREFIX}/device/tankwatch_${tankId}/config`,
  state: (tankId) => `tankwatch/${connectorId}/${tankId}/state`,
});

/**
 * The message that makes a tank a device of Home Assistant: https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload.
 * A template that gives None makes a value unknown.
 */
function discoveryOf({ id, name, language, battery_percent: battery }: PublishedTank, topics: Topics): object {
  const names = NAMES[language.startsWith('es') ? 'es' : 'en'];
  const component = (key: keyof typeof names, platform: string, value: string, more: object): object => ({
    platform,
    unique_id: `tankwatch_${id}_${key}`,
    name: names[key],
    value_template: `{{ value_json.${value} }}`,
    ...more,
  });
  const percent = { unit_of_measurement: '%', state_class: 'measurement' };
  return {
    device: { identifiers: [`tankwatch_${id}`], name, manufacturer: 'Tankwatch' },
    origin: { name: 'tankwatch' },
    availability_topic: topics.status,
    state_topic: topics.state(id),
    qos: 1,
    components: {
      level: component('level', 'sensor', 'fill_percentage', { ...percent, icon: 'mdi:propane-tank' }),
      low: component('low', 'binary_sensor', 'low', { device_class: 'problem' }),
      last_seen: component('last_seen', 'sensor', 'last_seen', { device_class: 'timestamp' }),
      // Many devices do not report their battery.
      ...(battery !== null && {
        battery: component('battery', 'sensor', 'battery_percent', {
          ...percent,
          device_class: 'battery',
          entity_category: 'diagnostic',
        }),
      }),
    },
  };
}

const stateOf = ({ fill_percentage, is_low, last_seen, battery_percent }: PublishedTank): object => ({
  fill_percentage,
  low: is_low ? 'ON' : 'OFF',
  last_seen,
  battery_percent,
});

const Memory = Type.Object({ published: Type.Array(Type.String()) });
const compiledMemory = Compile(Memory);
const publishedOf = (memory: unknown): Static<typeof Memory>['published'] =>
  compiledMemory.Check(memory) ? memory.published : [];

export interface PublishOptions {
  connection: BrokerConnection;
  topics: Topics;
  memory: unknown;
  tanks: () => Promise<PublishedTank[]>;
  remember: (memory: object) => Promise<void>;
  /** Called when everything is published, and every minute while the connection lasts. */
  onWorks: () => Promise<void>;
  signal: AbortSignal;
}

/**
 * Publishes levels until the connection ends, which throws a SourceError, or until `signal` is aborted. All messages are retained. After
 * each connect, all messages are published again, because the broker may have lost them.
 */
export async function publishTanks(options: PublishOptions): Promise<void> {
  const { topics, tanks: readTanks, remember, onWorks, signal } = options;
  const will = { topic: topics.status, payload: Buffer.from('offline'), qos: 1, retain: true } as const;
  await withBroker({ ...options.connection, will }, signal, async (client, { connect, ended }) => {
    await connect();
    const sent = new Map<string, string>();
    const publish = async (topic: string, payload: string): Promise<void> => {
      if (sent.get(topic) === payload) return;
      await Promise.race([ended, client.publishAsync(topic, payload, { qos: 1, retain: true })]);
      sent.set(topic, payload);
    };
    let known = publishedOf(options.memory);
    let reportedAtMs = Number.NEGATIVE_INFINITY;
    for (;;) {
      const tanks = await readTanks();
      const chosen = tanks.map(({ id }) => id);
      const gone = known.filter((id) => !chosen.includes(id));
      // Tanks are remembered before they are published. If this process dies, the next one knows which tanks to take back.
      if (chosen.some((id) => !known.includes(id))) await remember(memoryOf([...chosen, ...gone]));
      for (const tank of tanks) {
        await publish(topics.state(tank.id), JSON.stringify(stateOf(tank)));
        await publish(topics.config(tank.id), JSON.stringify(discoveryOf(tank, topics)));
      }
      // An empty message removes the device from Home Assistant.
      for (const id of gone) for (const topic of [topics.config(id), topics.state(id)]) await publish(topic, '');
      if (gone.length > 0) await remember(memoryOf(chosen));
      known = chosen;
      await publish(topics.status, 'online');
      if (performance.now() - reportedAtMs >= MINUTE_MS) {
        await onWorks();
        reportedAtMs = performance.now();
      }
      await Promise.race([ended, sleep(PUBLISH_EVERY_MS, undefined, { signal })]);
    }
  });
}

/**
 * Takes back the tanks that a connector has published: an empty retained message removes the previous message, and the
 * device from Home Assistant. Devices of `kept` tanks stay, because another connector publishes them to the same broker.
 */
export const takeBackTanks = (
  connection: BrokerConnection,
  { topics, published, kept }: { topics: Topics; published: readonly string[]; kept: ReadonlySet<string> },
  signal: AbortSignal,
): Promise<void> =>
  withBroker(connection, signal, async (client, { connect, ended }) => {
    await connect();
    const configs = published.filter((id) => !kept.has(id)).map(topics.config);
    for (const topic of [...configs, ...published.map(topics.state), topics.status])
      await Promise.race([ended, client.publishAsync(topic, '', { qos: 1, retain: true })]);
  });

const memoryOf = (published: readonly string[]): object => ({
  published,
  devices: published.length,
  tanks: published.length,
});
