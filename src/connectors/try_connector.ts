import type { Db } from '../db/pool.ts';
import type { OrganizationGauges } from '../gauges/selection.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../values/time.ts';
import { type BrokerConnection, readBroker, withBroker } from './broker_session.ts';
import { type ConnectorSettings, isWeather, type MqttSettings } from './connector_settings.ts';
import type { Trial } from './connectors.ts';
import { tanksToPublish } from './home_assistant.ts';
import { type JsonSource, jsonSourceOf } from './json_source.ts';
import type { ReadAnswer } from './read_answer.ts';
import { SourceClient, type SourceClientOptions, SourceError } from './source_client.ts';
import { MIN_WINDOW_MS, SourceReader, WindowTooLargeError } from './source_reader.ts';
import { tryWeather, weatherPace } from './weather/weather_sources.ts';

/** A trial listens to a broker for this time. */
const LISTEN_MS = 5 * SECOND_MS;
/** The limit for a broker that accepts the connection and never answers the subscription. */
const MAX_TRIAL_MS = 40 * SECOND_MS;

export interface TriedSource {
  organizationNo: number;
  settings: ConnectorSettings;
  secret: string | null;
  gauges: OrganizationGauges;
}

export interface TrialNetwork extends Pick<SourceClientOptions, 'agent' | 'addresses'> {
  /** Ends the trial, for example when the process stops. */
  signal?: AbortSignal;
  /** Returns a function that waits before each request to a source. */
  pace: (source: Pick<JsonSource, 'requestsPerMinute'>) => () => Promise<void>;
}

interface TrialCounts {
  devices: Set<string>;
  readings: number;
}

/** The result of a trial. Counts that are not given are 0. */
export const trialOf = (result: Partial<Omit<Trial, 'at' | 'works'>>): Trial => ({
  at: new Date().toISOString(),
  works: (result.error ?? null) === null,
  devices: 0,
  devices_on_tanks: 0,
  readings: 0,
  error: null,
  ...result,
});

/**
 * Asks a source once for its readings of the last day or of one device, or listens to a broker, and counts the readings. Throws the reason
 * of the signal if it ends the trial.
 */
export async function trySource(db: Db, tried: TriedSource, network: TrialNetwork): Promise<Trial> {
  const { organizationNo, settings, secret } = tried;
  const counts: TrialCounts = { devices: new Set(), readings: 0 };
  let error: string | null = null;
  try {
    if (isWeather(settings)) {
      const { pace, ...connection } = network;
      const weather = { ...connection, secret, beforeRequest: pace(weatherPace(settings)) };
      const { places, temperatures } = await tryWeather(db, settings, weather, organizationNo);
      return trialOf({ devices: places, devices_on_tanks: places, readings: temperatures });
    }
    if (settings.kind === 'home_assistant') {
      await connectOnce({ clientId: null, settings, secret, addresses: network.addresses }, network.signal);
      const { length: tanks } = await tanksToPublish(db, organizationNo, settings);
      return trialOf({ devices: tanks, devices_on_tanks: tanks });
    }
    await (settings.kind === 'mqtt'
      ? listenToBroker({ ...tried, settings }, network, counts)
      : askCloud(jsonSourceOf(settings), tried, network, counts));
  } catch (problem) {
    network.signal?.throwIfAborted();
    if (!(problem instanceof SourceError)) throw problem;
    error = problem.message;
  }
  const { rows } = await db.query<{ n: number }>(
    `select count(*)::int as n from tanks where organization_no = $1 and assigned_device_id = any ($2) and deleted_at is null`,
    [organizationNo, [...counts.devices]],
  );
  return trialOf({
    devices: counts.devices.size,
    devices_on_tanks: rows[0]?.n ?? 0,
    readings: counts.readings,
    error,
  });
}

function addAnswer(counts: TrialCounts, { readings }: Pick<ReadAnswer, 'readings'>): void {
  counts.readings += readings.length;
  for (const { deviceId } of readings) counts.devices.add(deviceId);
}

async function askCloud(
  source: JsonSource,
  { secret, gauges }: TriedSource,
  { pace, ...connection }: TrialNetwork,
  counts: TrialCounts,
): Promise<void> {
  const client = new SourceClient({ ...connection, source, secret, beforeRequest: pace(source) });
  const reader = new SourceReader(client, source, gauges);
  for (const device of source.devices === null ? [] : await reader.devices()) counts.devices.add(device);
  const answer = await firstAnswer(reader, source.hasHistory);
  if (answer !== undefined) addAnswer(counts, answer);
}

async function firstAnswer(reader: SourceReader, hasHistory: boolean): Promise<ReadAnswer | undefined> {
  if (!hasHistory) {
    for await (const { answer } of reader.latest()) return answer;
    return undefined;
  }
  for (const lengthMs of [DAY_MS, HOUR_MS, MIN_WINDOW_MS]) {
    const toMs = Date.now();
    try {
      for await (const answer of reader.window({ fromMs: toMs - lengthMs, toMs })) return answer;
    } catch (error) {
      if (!(error instanceof WindowTooLargeError)) throw error;
    }
  }
  return undefined;
}

async function connectOnce(connection: BrokerConnection, signal?: AbortSignal): Promise<void> {
  const until = AbortSignal.any([AbortSignal.timeout(MAX_TRIAL_MS), ...(signal ? [signal] : [])]);
  await withBroker(connection, until, (_, { connect }) => connect());
}

/** Listens with a separate session, so that the broker keeps the messages of the connector's session. */
async function listenToBroker(
  { settings, secret, gauges }: TriedSource & { settings: MqttSettings },
  { addresses, signal }: Pick<TrialNetwork, 'addresses' | 'signal'>,
  counts: TrialCounts,
): Promise<void> {
  const over = new AbortController();
  const tooLong = AbortSignal.timeout(MAX_TRIAL_MS);
  let timer: NodeJS.Timeout | undefined;
  try {
    await readBroker({
      clientId: null,
      settings,
      secret,
      addresses,
      gauges: () => gauges,
      submit: async (answer) => addAnswer(counts, answer),
      onWorks: async () => {
        timer ??= setTimeout(() => over.abort(), LISTEN_MS);
      },
      signal: AbortSignal.any([over.signal, tooLong, ...(signal ? [signal] : [])]),
    });
  } catch (error) {
    if (error === tooLong.reason) throw new SourceError('failed', 'the broker does not answer the subscription');
    if (error !== over.signal.reason) throw error;
  } finally {
    clearTimeout(timer);
  }
}
