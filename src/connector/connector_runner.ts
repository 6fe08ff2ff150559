import type { Pool } from 'pg';
import type { Agent } from 'undici';
import { readBroker } from '../connectors/broker_session.ts';
import { openConnectorSecret } from '../connectors/connector_secrets.ts';
import {
  BROKER_KINDS,
  type CloudSettings,
  type ConnectorSettings,
  type HomeAssistantSettings,
  isWeather,
  type MqttSettings,
  parseSettings,
  type WeatherSettings,
} from '../connectors/connector_settings.ts';
import { publishTanks, tanksToPublish, topicsOf } from '../connectors/home_assistant.ts';
import { type JsonSource, jsonSourceOf } from '../connectors/json_source.ts';
import type { ReadAnswer } from '../connectors/read_answer.ts';
import { requestPace } from '../connectors/request_pace.ts';
import { SourceClient, SourceError } from '../connectors/source_client.ts';
import { SourceReader } from '../connectors/source_reader.ts';
import { trialOf, trySource } from '../connectors/try_connector.ts';
import { pollWeather, weatherPace } from '../connectors/weather/weather_sources.ts';
import type { GaugeProfileCache } from '../gauges/gauge_profile_cache.ts';
import { Outage, type StatusLogger } from '../health/outage.ts';
import type { AddressConfig } from '../settings/address_settings.ts';
import { StreamUnavailableError } from '../stream/unavailable.ts';
import { UserError } from '../values/user_error.ts';
import { uuid7 } from '../values/uuid7.ts';
import { cleanBrokers } from './broker_cleanups.ts';
import {
  ConnectorState,
  LEASE_MS,
  type LeasedConnector,
  LeaseLostError,
  leaseConnectors,
  renewLeases,
} from './connector_state.ts';
import type { ConnectorMetrics } from './metrics.ts';
import { pollSource } from './poll_source.ts';
import type { Origin, Sink } from './sink.ts';

const POLL_MS = 1_000;
const CLEAN_MS = 5_000;
/**
 * The largest number of connectors that one process runs. Nearly all of them wait for a response or a message. Connections to brokers
 * last, so brokers have their own limit.
 */
const MAX_RUNNING = { clouds: 500, brokers: 1_500 };
/** The pause before a source is asked again if the stream could not store its readings. */
const STREAM_RETRY_MS = 5_000;

export interface RunnerOptions {
  pool: Pool;
  gauges: GaugeProfileCache;
  sink: Sink;
  agent: Agent;
  addresses: AddressConfig;
  secretsKeys: readonly string[];
  metrics: ConnectorMetrics;
  logger: StatusLogger;
}

interface Run {
  organizationNo: number;
  isBroker: boolean;
  version: string;
  stopping: AbortController;
  leasedUntilMs: number;
  done: Promise<void>;
}

/** The parts of a run that each kind of source needs. */
interface SourceRun {
  connector: LeasedConnector;
  state: ConnectorState;
  secret: string | null;
  signal: AbortSignal;
  /** Returns a function that waits before each request to the source. */
  pace: (source: Pick<JsonSource, 'requestsPerMinute'>) => () => Promise<void>;
}

/** Leases connectors that are due and runs them concurrently. Only one process at a time runs a connector. */
export class ConnectorRunner {
  readonly #options: RunnerOptions;
  readonly #processId = uuid7();
  readonly #runs = new Map<number, Run>();
  readonly #outage: Outage;
  readonly #timers: NodeJS.Timeout[];
  readonly #closing = new AbortController();
  #cleaning: Promise<void> | null = null;
  #isLeasing = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#outage = new Outage(options.logger, 'looking for sources to ask');
    this.#timers = [
      setInterval(() => void this.#lease(), POLL_MS).unref(),
      setInterval(() => void this.#renew(), LEASE_MS / 3).unref(),
      setInterval(() => this.#clean(), CLEAN_MS).unref(),
    ];
  }

  get isFailing(): boolean {
    return this.#outage.isOn;
  }

  /** Stops all runs. Readings that the stream has not stored are read again later. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    const stops = [this.#closing, ...[...this.#runs.values()].map(({ stopping }) => stopping)];
    for (const stop of stops) stop.abort(new StoppedError('the process stops'));
    await Promise.all([this.#cleaning, ...[...this.#runs.values()].map(({ done }) => done)]);
  }

  /** Cleans brokers beside the runs: a broker that does not answer delays only the cleanups of other removed connectors. */
  #clean(): void {
    this.#cleaning ??= cleanBrokers(this.#options, this.#closing.signal)
      .catch((error: unknown) => this.#outage.failed(error))
      .finally(() => {
        this.#cleaning = null;
      });
  }

  async #lease(): Promise<void> {
    const { pool, gauges, metrics } = this.#options;
    if (this.#isLeasing || this.#closing.signal.aborted || !gauges.isReady) return;
    this.#isLeasing = true;
    try {
      const brokers = [...this.#runs.values()].filter(({ isBroker }) => isBroker).length;
      const leased = await leaseConnectors(pool, {
        processId: this.#processId,
        clouds: MAX_RUNNING.clouds - (this.#runs.size - brokers),
        brokers: MAX_RUNNING.brokers - brokers,
        running: this.#runningByOrganization(),
      });
      // If this process was suspended, it may lease a connector whose last run has not ended here yet.
      for (const connector of leased) if (!this.#runs.has(connector.no)) this.#start(connector);
      metrics.running.set(this.#runs.size);
      this.#outage.worked();
    } catch (error) {
      this.#outage.failed(error);
    } finally {
      this.#isLeasing = false;
    }
  }

  #runningByOrganization(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { organizationNo, isBroker } of this.#runs.values()) {
      const key = `${organizationNo} ${isBroker}`;
      counts[key] = (counts[key] ?? 0) + 1;
    }
    return counts;
  }

  /** Renews leases. Stops runs whose connector was changed, paused or removed, or is leased by another process. */
  async #renew(): Promise<void> {
    if (this.#runs.size === 0) return;
    const sentAtMs = performance.now();
    const runs = [...this.#runs];
    const nos = runs.map(([no]) => no);
    const versions = await renewLeases(this.#options.pool, this.#processId, nos).catch(() => null);
    for (const [no, run] of runs) {
      const version = versions?.get(no);
      if (version === run.version) run.leasedUntilMs = sentAtMs + LEASE_MS;
      else if (versions !== null) run.stopping.abort(new StoppedError('the connector was changed'));
      else if (performance.now() > run.leasedUntilMs) run.stopping.abort(new LeaseLostError('the lease ended'));
    }
  }

  #start(connector: LeasedConnector): void {
    const stopping = new AbortController();
    const run: Run = {
      organizationNo: connector.organization_no,
      isBroker: BROKER_KINDS.includes(connector.kind),
      version: connector.version,
      stopping,
      leasedUntilMs: performance.now() + LEASE_MS,
      done: Promise.resolve(),
    };
    this.#runs.set(connector.no, run);
    run.done = this.#run(connector, run)
      .catch((error: unknown) =>
        this.#options.logger.error({ err: error, connector: connector.id }, 'the run of a source failed'),
      )
      .finally(() => {
        if (this.#runs.get(connector.no) === run) this.#runs.delete(connector.no);
      });
  }

  async #run(connector: LeasedConnector, run: Run): Promise<void> {
    const { pool, metrics, logger } = this.#options;
    const state = new ConnectorState(pool, this.#processId, connector);
    let dueAfterMs: number | null = null;
    try {
      dueAfterMs = await this.#readSource(connector, state, run);
      if (connector.is_due) metrics.attempts.inc({ outcome: 'worked' });
    } catch (thrown) {
      const error = run.stopping.signal.aborted ? run.stopping.signal.reason : thrown;
      if (error instanceof LeaseLostError) return;
      // A source that was read only for a trial keeps the time of its next attempt.
      if (error instanceof StoppedError) dueAfterMs = connector.is_due ? 0 : null;
      // The stream is a part of Tankwatch, so this is not a failure of the source.
      else if (error instanceof StreamUnavailableError) dueAfterMs = STREAM_RETRY_MS;
      else {
        const problem = this.#problemOf(error, connector);
        if (connector.is_trial_requested) await state.recordTrial(trialOf({ error: problem.message }));
        metrics.attempts.inc({ outcome: problem.problem });
        logger.warn({ connector: connector.id, reason: problem.message }, 'a source could not be read');
        if (await state.recordFailure(problem)) {
          metrics.down.inc();
          logger.error({ connector: connector.id, reason: problem.message }, 'connector.down');
        }
      }
    }
    await state.release(dueAfterMs);
  }

  /** An error of the program counts as a failure of the source, so that the source is asked less and less often. */
  #problemOf(error: unknown, connector: LeasedConnector): SourceError {
    if (error instanceof SourceError) return error;
    if (error instanceof UserError) return new SourceError('failed', error.message);
    this.#options.logger.error({ err: error, connector: connector.id }, 'a source could not be asked');
    return new SourceError('failed', 'Tankwatch failed to ask the source; see the log of its connector');
  }

  /** Runs a requested trial, and reads the source if it is due. Returns in how many milliseconds it is due again; null keeps the time. */
  async #readSource(connector: LeasedConnector, state: ConnectorState, run: Run): Promise<number | null> {
    const { pool, gauges, agent, addresses, secretsKeys } = this.#options;
    const settings = settingsOf(connector);
    const secret = openConnectorSecret(secretsKeys, connector.id, connector.sealed_secret);
    const { organization_no: organizationNo } = connector;
    const { signal } = run.stopping;
    const pace: SourceRun['pace'] = (source) =>
      requestPace(source, {
        slowness: connector.slowness,
        signal,
        // A process that was suspended may have lost its lease.
        check: () => {
          if (performance.now() > run.leasedUntilMs) throw new LeaseLostError('the lease ended');
        },
      });
    if (connector.is_trial_requested) {
      const tried = { organizationNo, settings, secret, gauges: gauges.of(organizationNo) };
      await state.recordTrial(await trySource(pool, tried, { agent, addresses, pace, signal }));
    }
    if (!connector.is_due) return null;
    const source: SourceRun = { connector, state, secret, signal, pace };
    if (settings.kind === 'mqtt') return this.#readBroker(settings, source);
    if (settings.kind === 'home_assistant') return this.#publishTanks(settings, source);
    return isWeather(settings) ? this.#pollWeather(settings, source) : this.#pollCloud(settings, source);
  }

  /** Reads a broker until the connection ends. */
  async #readBroker(settings: MqttSettings, source: SourceRun): Promise<null> {
    const { gauges, addresses } = this.#options;
    const { connector, state, secret, signal } = source;
    await readBroker({
      clientId: `tankwatch-${connector.id}`,
      settings,
      secret,
      addresses,
      gauges: () => gauges.of(connector.organization_no),
      submit: (answer) => this.#submit(source, answer, 'broker'),
      onWorks: () => state.recordSuccess({ hasLookedBack: false }),
      signal,
    });
    return null;
  }

  /** Publishes levels to a broker until the connection ends. */
  async #publishTanks(settings: HomeAssistantSettings, { connector, state, secret, signal }: SourceRun): Promise<null> {
    const { pool, addresses } = this.#options;
    await publishTanks({
      connection: { clientId: null, settings, secret, addresses },
      topics: topicsOf(connector.id, settings),
      memory: connector.memory,
      tanks: () => tanksToPublish(pool, connector.organization_no, settings),
      remember: (memory) => state.remember(memory),
      onWorks: () => state.recordSuccess({ hasLookedBack: false }),
      signal,
    });
    return null;
  }

  async #pollWeather(
    settings: WeatherSettings,
    { connector, state, secret, signal, pace }: SourceRun,
  ): Promise<number> {
    const { pool, agent, addresses } = this.#options;
    const network = { agent, addresses, secret, beforeRequest: pace(weatherPace(settings)), signal };
    const dueAfterMs = await pollWeather(pool, settings, network, {
      organizationNo: connector.organization_no,
      memory: connector.memory,
      afterPlace: connector.after_device,
      nowMs: Date.now(),
      remember: (memory) => state.remember(memory),
      moveOn: (place) => state.moveDevice(place),
    });
    await state.recordSuccess({ hasLookedBack: false });
    return dueAfterMs;
  }

  #pollCloud(settings: CloudSettings, sourceRun: SourceRun): Promise<number> {
    const { gauges, agent, addresses } = this.#options;
    const { connector, state, secret, signal, pace } = sourceRun;
    const source = jsonSourceOf(settings);
    const client = new SourceClient({ agent, addresses, source, secret, beforeRequest: pace(source), signal });
    return pollSource({
      connector,
      source,
      state,
      nowMs: Date.now(),
      reader: new SourceReader(client, source, gauges.of(connector.organization_no), connector.failures),
      submit: (answer, from) => this.#submit(sourceRun, answer, from),
    });
  }

  /** Puts readings into the stream, and counts those that were not read again. */
  async #submit(
    { connector, state, signal }: SourceRun,
    answer: Omit<ReadAnswer, 'items'>,
    from: Origin,
  ): Promise<void> {
    const readings = await this.#options.sink.submit(connector, answer, { from, signal });
    if (from !== 'cloud again') state.readings += readings;
  }
}

/** Thrown if a run ends without a failure of the source. */
class StoppedError extends Error {}

function settingsOf({ kind, settings }: LeasedConnector): ConnectorSettings {
  const parsed = parseSettings(kind, settings);
  if (typeof parsed === 'string') throw new SourceError('failed', `the settings cannot be used: ${parsed}`);
  return parsed;
}
