import { isIP } from 'node:net';
import { callbackify } from 'node:util';
import { connect as connectTo, type IClientOptions, type IPublishPacket, type MqttClient } from 'mqtt';
import { readMessage } from '../gauges/read_message.ts';
import type { OrganizationGauges } from '../gauges/selection.ts';
import { allowedAddresses } from '../http/guarded_agent.ts';
import { guardOf, reasonOf } from '../http/outgoing_address.ts';
import type { AddressConfig } from '../settings/address_settings.ts';
import { formatName } from '../telemetry/format_query.ts';
import { parseDevicePayload } from '../telemetry/payload_formats.ts';
import { MAX_DEVICE_PAYLOAD_BYTES, OVERSIZED_DEVICE_PAYLOAD } from '../telemetry/payload_limits.ts';
import { firstBytes, type ParsedPayload } from '../telemetry/raw_message.ts';
import { isDeviceId } from '../telemetry/reading.ts';
import { isObject, parseJson } from '../values/json.ts';
import { MINUTE_MS, SECOND_MS } from '../values/time.ts';
import type { MqttSettings } from './connector_settings.ts';
import type { ReadAnswer } from './read_answer.ts';
import { SourceError } from './source_client.ts';

const CONNECT_TIMEOUT_MS = 30 * SECOND_MS;
const MAX_PACKET_BYTES = 1_048_576;
/** Codes of CONNACK in MQTT 3.1.1: wrong user name or password, and not authorized. */
const REFUSED_CODES: ReadonlySet<number> = new Set([4, 5]);

export interface BrokerConnection {
  /** A constant id makes the broker keep messages between connections. Null if the broker must not keep messages. */
  clientId: string | null;
  settings: Pick<MqttSettings, 'url' | 'user'>;
  secret: string | null;
  addresses: AddressConfig;
  /** The message that the broker publishes when the connection is lost. */
  will?: IClientOptions['will'];
}

export interface BrokerOptions extends BrokerConnection {
  settings: MqttSettings;
  gauges: () => OrganizationGauges;
  /** Resolves when the stream has stored the readings. Only then is the message acknowledged. */
  submit: (answer: Omit<ReadAnswer, 'items'>) => Promise<void>;
  /** Called when the subscription works, and every minute while it does. */
  onWorks: () => Promise<void>;
  signal: AbortSignal;
}

interface BrokerSession {
  /** Resolves when the broker has accepted the connection. */
  connect: () => Promise<void>;
  /** Rejects when the connection ends, or when `end` is called. */
  ended: Promise<never>;
  end: (reason: unknown) => void;
}

/** Calls `use` with a client for a broker, and then ends the connection. Throws a SourceError if the address cannot be used. */
export async function withBroker(
  connection: BrokerConnection,
  signal: AbortSignal,
  use: (client: MqttClient, session: BrokerSession) => Promise<void>,
): Promise<void> {
  const client = await makeClient(connection);
  const { promise: ended, reject: end } = Promise.withResolvers<never>();
  ended.catch(() => {});
  client.on('error', (error) => end(brokerError(error)));
  client.on('close', () => end(new SourceError('failed', 'the broker closed the connection')));
  const abort = (): void => end(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  // The signal may have been aborted while the name was looked up.
  if (signal.aborted) abort();
  const connect = (): Promise<void> => {
    client.connect();
    endLongPackets(client, end);
    return Promise.race([ended, new Promise<void>((resolve) => client.once('connect', () => resolve()))]);
  };
  try {
    await use(client, { connect, ended, end });
  } finally {
    signal.removeEventListener('abort', abort);
    client.end(true);
  }
}

/**
 * Reads the messages of a broker until the connection ends, which throws a SourceError, or until `signal` is aborted. Messages are
 * acknowledged one after another, each after it is stored: about 40 per second.
 */
export async function readBroker(options: BrokerOptions): Promise<void> {
  const { settings, onWorks, signal } = options;
  await withBroker(options, signal, async (client, { connect, ended, end }) => {
    const stored = callbackify((packet: IPublishPacket) =>
      store(packet, options).catch((error: unknown) => {
        // The message is not acknowledged, so the broker sends it again after the next connection.
        end(error);
        throw error;
      }),
    );
    client.handleMessage = (packet, callback) => stored(packet, (error) => callback(error ?? undefined));
    await connect();
    const filters = settings.topics.map(({ filter }) => filter);
    // The client rejects if the broker refuses a topic in its SUBACK, and if a filter is not one of MQTT.
    const subscribed = client.subscribeAsync(filters, { qos: 1 }).catch(() => {
      throw new SourceError('failed', 'the broker refuses the subscription to a topic');
    });
    await Promise.race([ended, subscribed]);
    await onWorks();
    const timer = setInterval(() => void onWorks().catch(end), MINUTE_MS);
    await ended.finally(() => clearInterval(timer));
  });
}

/** Ends the connection if a packet is too long, because the client keeps a packet in memory until it is complete. */
function endLongPackets(client: MqttClient, end: (error: SourceError) => void): void {
  let bytes = 0;
  client.on('packetreceive', () => {
    bytes = 0;
  });
  client.stream.on('data', (chunk: Uint8Array) => {
    bytes += chunk.byteLength;
    if (bytes <= MAX_PACKET_BYTES) return;
    client.stream.destroy();
    end(new SourceError('changed', 'the broker sends a message that is too long'));
  });
}

/** The client connects to the checked address and not to the name, which could resolve to another address the next time. */
async function makeClient({ clientId, settings, secret, addresses, will }: BrokerConnection): Promise<MqttClient> {
  const url = URL.parse(settings.url);
  const isTls = url?.protocol === 'mqtts:';
  if (url === null || (!isTls && !(addresses.allowHttp && url.protocol === 'mqtt:')))
    throw new SourceError('failed', 'the address must begin with mqtts://');
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const defaultPort = isTls ? 8883 : 1883;
  const [allowed] = await allowedAddresses(guardOf(addresses), hostname).catch((error: unknown) => {
    throw new SourceError('failed', reasonOf(error));
  });
  return connectTo({
    protocol: isTls ? 'mqtts' : 'mqtt',
    host: allowed?.address ?? '',
    port: url.port === '' ? defaultPort : Number(url.port),
    ...(isTls && isIP(hostname) === 0 && { servername: hostname }),
    ...(clientId === null ? { clean: true } : { clientId, clean: false }),
    protocolVersion: 4,
    reconnectPeriod: 0,
    connectTimeout: CONNECT_TIMEOUT_MS,
    ...(settings.user !== undefined && { username: settings.user }),
    ...(secret !== null && { password: secret }),
    ...(will !== undefined && { will }),
    manualConnect: true,
    resubscribe: false,
  });
}

function brokerError(error: Error & { code?: unknown }): SourceError {
  return typeof error.code === 'number' && REFUSED_CODES.has(error.code)
    ? new SourceError('refused', `the broker refuses the user name or password (${error.code})`)
    : new SourceError('failed', reasonOf(error));
}

async function store(packet: IPublishPacket, { settings, gauges, submit }: BrokerOptions): Promise<void> {
  const { topic, retain } = packet;
  const rule = settings.topics.find(({ filter }) => fitsTopic(filter, topic));
  if (rule === undefined) return;
  const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload;
  const deviceId = rule.device_level === undefined ? undefined : topic.split('/')[rule.device_level];
  if (deviceId !== undefined && !isDeviceId(deviceId)) return;
  const parsed = parse(payload, { topic, deviceId, profile: rule.profile, isRetained: retain }, gauges());
  await submit({ readings: parsed.readings, rejections: parsed.rejections, health: parsed.health ?? [] });
}

interface BrokerMessage {
  topic: string;
  deviceId: string | undefined;
  profile: string | undefined;
  isRetained: boolean;
}

/**
 * A broker sends a retained message at each connection and does not say when it was published. A retained message that
 * contains no time is not a reading.
 */
function parse(
  payload: Buffer,
  { topic, deviceId, profile, isRetained }: BrokerMessage,
  gauges: OrganizationGauges,
): ParsedPayload {
  const nowMs = Date.now();
  if (profile === undefined) {
    if (deviceId === undefined || (isRetained && !hasTimes(payload))) return NOTHING;
    return parseDevicePayload(deviceId, payload, nowMs);
  }
  const selected = gauges.named(profile);
  if (selected === undefined) throw new SourceError('failed', `there is no profile ${profile}`);
  const format = formatName({ name: 'readings', profile, ...(deviceId !== undefined && { deviceId }) });
  if (payload.length > MAX_DEVICE_PAYLOAD_BYTES) {
    const stored = { deviceId: deviceId ?? null, raw: firstBytes(payload), format };
    return { readings: [], rejections: [{ index: 0, code: 'oversized', detail: OVERSIZED_DEVICE_PAYLOAD, ...stored }] };
  }
  const parsed = readMessage(
    selected,
    {
      deviceId,
      topic,
      payload,
      ...(isRetained && { receivedAt: '' }),
      rejectedAs: () => ({ raw: firstBytes(payload), format }),
    },
    { receivedAtMs: nowMs, nowMs },
  );
  if (!isRetained) return parsed;
  return { ...parsed, rejections: parsed.rejections.filter(({ code }) => code !== 'malformed_time') };
}

/** Returns true if each reading of a payload contains its time. */
function hasTimes(payload: Buffer): boolean {
  if (payload.length > MAX_DEVICE_PAYLOAD_BYTES) return false;
  const content = parseJson(payload.toString());
  const items = Array.isArray(content) ? content : [content];
  return items.every((item) => isObject(item) && typeof item['created_at'] === 'string');
}

const NOTHING: ParsedPayload = { readings: [], rejections: [] };

/** Returns true if a topic matches a filter of MQTT: + matches one level, and # at the end matches all further levels. */
export function fitsTopic(filter: string, topic: string): boolean {
  const [filterLevels, levels] = [filter.split('/'), topic.split('/')];
  for (const [index, level] of filterLevels.entries()) {
    if (level === '#') return true;
    if (index >= levels.length || (level !== '+' && level !== levels[index])) return false;
  }
  return filterLevels.length === levels.length;
}
