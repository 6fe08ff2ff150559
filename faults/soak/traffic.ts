import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, HttpClient, type HttpRequest } from '../../bench/load_client/http_client.ts';
import { MqttConnection } from '../../bench/load_client/mqtt_connection.ts';
import { mqttIdentity } from '../../src/simulation/device_login.ts';
import { MQTT_DEVICES, startLoad } from '../load.ts';
import type { SoakInstallation } from './installation.ts';
import { PERSONAL } from './people.ts';
import { type SignInSecrets, signIn } from './sign_ins.ts';

export interface Rates {
  publishesPerSecond: number;
  readsPerSecond: number;
}

export type Call = (path: string, request?: HttpRequest) => Promise<Answer>;

const READ_CLIENTS = 16;
const LIVE_STREAMS = 20;
/** The time for which a live stream stays open, as for a page of the console. */
const LIVE_MS = 60_000;
const SIGN_INS = 4;

export interface Traffic {
  counts: {
    publishes: number;
    httpReadings: number;
    reads: number;
    liveStreams: number;
    /** Sign-ins that were begun. Those that failed are also in `failed`. */
    signIns: number;
    mistakes: number;
    /** Reads that were answered with 503 and repeated. */
    refused: number;
    failed: number;
  };
  /** The first 20 failures. */
  failures: string[];
  secrets: SignInSecrets;
  stop(): Promise<void>;
}

/** The paths that integrators and the console read. */
export function pathsOf({ people: { tankIds, customerNames, addresses } }: SoakInstallation): string[] {
  const ofTanks = tankIds
    .slice(0, 20)
    .flatMap((id) => [
      `/v1/tanks/${id}`,
      `/v1/tanks/${id}/telemetry?size=100`,
      `/fleet/v1/tanks/${id}`,
      `/fleet/v1/tanks/${id}/series`,
      `/fleet/v1/tanks/${id}/events`,
    ]);
  const ofPeople = customerNames
    .slice(0, 20)
    .flatMap((name, n) => [
      `/fleet/v1/customers?external_key=Quxzamora-${n}`,
      `/fleet/v1/search?q=${encodeURIComponent(name)}`,
      `/fleet/v1/search?q=${encodeURIComponent(addresses.at(-1 - n) ?? '')}`,
    ]);
  const lists = [
    '/v1/tanks?size=50',
    '/v1/customers',
    '/fleet/v1/tanks?size=50',
    '/fleet/v1/summary',
    '/fleet/v1/events',
  ];
  return [...ofTanks, ...ofPeople, ...lists, ...lists, ...lists];
}

/** Starts the requests of people, programs and devices at these rates. A publish has one reading. */
export function startTraffic(installation: SoakInstallation, { publishesPerSecond, readsPerSecond }: Rates): Traffic {
  const { people, mails, apiUrl, ingestUrl, ingestKey, devices, mqttUrl } = installation;
  const stopping = new AbortController();
  const counts = {
    publishes: 0,
    httpReadings: 0,
    reads: 0,
    liveStreams: 0,
    signIns: 0,
    mistakes: 0,
    refused: 0,
    failed: 0,
  };
  const failures: string[] = [];
  const secrets: SignInSecrets = { tokens: new Set(), codes: new Set() };
  const http = new HttpClient();
  const call: Call = (path, request) => http.send(apiUrl + path, request);
  const keyOf = (n: number): string => people.readKeys[n % people.readKeys.length] ?? '';
  const fail = (reason: string): void => {
    counts.failed++;
    if (failures.length < 20) failures.push(reason);
  };
  /** Begins the work every `everyMs` until the traffic stops. */
  const repeatEvery = async (everyMs: number, work: () => Promise<unknown>): Promise<void> => {
    let dueMs = performance.now() + Math.random() * everyMs;
    for (;;) {
      await sleep(Math.max(0, dueMs - performance.now()), undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      await work().catch((error: unknown) => fail(String(error)));
      dueMs = Math.max(dueMs + everyMs, performance.now());
    }
  };

  const paths = pathsOf(installation);
  const read = async (): Promise<void> => {
    const n = counts.reads;
    counts.reads++;
    const path = paths[n % paths.length] ?? '/';
    const key = keyOf(n);
    // The last key sees one customer only, so it does not find some tanks.
    const isNarrowed = n % people.readKeys.length === people.readKeys.length - 1;
    let { status } = await call(path, { key });
    if (status === 503) {
      counts.refused++;
      await sleep(1_000); // as Retry-After says
      ({ status } = await call(path, { key }));
    }
    if (status !== 200 && !(status === 404 && isNarrowed)) fail(`${status} for ${path}`);
  };
  const watch = async (n: number): Promise<void> => {
    counts.liveStreams++;
    const tanks = people.tankIds.slice(n, n + 50).join(',');
    const stream = await fetch(`${apiUrl}/fleet/v1/live?tanks=${tanks}`, {
      headers: { 'x-api-key': keyOf(n % 3) },
      signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(LIVE_MS)]),
    }).catch(() => undefined);
    if (stream === undefined) return;
    if (stream.status !== 200) fail(`${stream.status} for a live stream`);
    await stream.arrayBuffer().catch(() => {}); // until it is aborted
  };
  const signInOnce = async (): Promise<void> => {
    const email = people.addresses[counts.signIns % people.addresses.length] ?? '';
    counts.signIns++;
    if (!(await signIn(call, mails, email, secrets)) && !stopping.signal.aborted) fail('a sign-in');
  };
  /** Makes everyday mistakes: wrong keys and passwords, broken payloads, and paths that do not exist. */
  const makeMistake = async (): Promise<void> => {
    const [marker = ''] = PERSONAL;
    const wrongKey = `${keyOf(0).slice(0, 13)}${randomBytes(36).toString('base64url')}`;
    secrets.tokens.add(wrongKey.slice(13));
    await call('/v1/tanks', { key: wrongKey });
    await call(`/v1/${marker}?email=a@${marker}.example`, { key: keyOf(0) });
    await call('/session/mails', { json: { email: `stranger${counts.mistakes}@${marker}.example` } });
    const readings = [{ device_id: marker, fill_percentage: `llaves de ${marker}` }];
    await http.send(ingestUrl, { key: ingestKey, json: { readings } });
    const [device] = devices;
    if (device !== undefined) {
      const password = randomBytes(24).toString('base64url');
      secrets.tokens.add(password);
      const identity = { ...mqttIdentity({ ...device, password }), clientId: `wrong-${counts.mistakes}` };
      const options = { url: mqttUrl, ...identity, keepAliveSeconds: 60, timeoutMs: 5_000 };
      await MqttConnection.open({ ...options, signal: stopping.signal }, () => {}).catch(() => {});
    }
    counts.mistakes++;
  };

  // The times of readings advance like the clock, so that alerts are about the present.
  const stepMs = (0.95 * 1_000 * MQTT_DEVICES) / publishesPerSecond;
  const load = startLoad(installation, {
    startAtMs: Date.now() - 60_000,
    stepMs,
    httpStepMs: 950,
    replayShare: 0.02,
    readingsPerPublish: 1,
    publishesPerSecond,
    pauseMs: 1_000,
  });
  const running = Promise.all([
    ...Array.from({ length: READ_CLIENTS }, () => repeatEvery((1_000 * READ_CLIENTS) / readsPerSecond, read)),
    ...Array.from({ length: LIVE_STREAMS }, (_, n) => repeatEvery(1_000, () => watch(n))),
    ...Array.from({ length: SIGN_INS }, () => repeatEvery(4_000, signInOnce)),
    repeatEvery(1_000, makeMistake),
  ]);
  return {
    counts,
    failures,
    secrets,
    async stop() {
      stopping.abort();
      const [sent] = await Promise.all([load.stop(), running]);
      counts.publishes = sent.mqtt.acknowledged;
      counts.httpReadings = sent.http.record.acknowledged;
      http.close();
    },
  };
}
