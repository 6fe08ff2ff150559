import { type ReadLoad, type ReadLoadOptions, startReads } from '../../bench/load_client/read_load.ts';
import { findPorts, type Installation, type RoleName, type Settings } from '../../engines/installation.ts';
import type { RoleProcess } from '../../engines/process.ts';
import { type Load, type SendOptions, startLoad } from '../load.ts';
import { Balancer } from './balancer.ts';

/** The drain time of api and gateway: longer than this balancer needs to see that a process is no longer ready. */
const DRAIN_MS = '1500';

export interface Instance {
  role: RoleName;
  settings: Settings;
  process: RoleProcess | undefined;
}

/** Callers and devices connect to these, so that one process of each role can be replaced while the other one serves. */
export interface Balancers {
  api: Balancer;
  http: Balancer;
  mqtt: Balancer;
}

/** Prepares two processes of each role behind balancers, one on each side, without starting them. */
export async function prepareRoles(): Promise<{ sides: Instance[][]; balancers: Balancers }> {
  const ports = [await findPorts(), await findPorts()];
  const sides = ports.map(({ settings }) => {
    const all = { ...settings, API_DRAIN_MS: DRAIN_MS, GATEWAY_DRAIN_MS: DRAIN_MS };
    const roles = ['api', 'gateway', 'writer', 'worker'] as const;
    return roles.map((role): Instance => ({ role, settings: all, process: undefined }));
  });
  return {
    sides,
    balancers: {
      api: await Balancer.start(ports.map(({ api }) => ({ port: api, readyPort: api }))),
      http: await Balancer.start(ports.map(({ http }) => ({ port: http, readyPort: http }))),
      mqtt: await Balancer.start(ports.map(({ http, mqtt }) => ({ port: mqtt, readyPort: http }))),
    },
  };
}

/** Stops an instance with SIGTERM, and starts it again with the program and the settings of the given release. */
export async function replace(
  installation: Installation,
  instance: Instance,
  release: { main?: string; settings?: Settings } = {},
): Promise<void> {
  await instance.process?.stop();
  const settings = { ...instance.settings, ...release.settings };
  instance.process = await installation.start(instance.role, settings, release.main);
}

/** Waits until the processes of this side are ready. */
export async function untilReady(balancers: Balancers, sideIndex: number): Promise<void> {
  await Promise.all(Object.values<Balancer>({ ...balancers }).map((balancer) => balancer.untilReady(sideIndex)));
}

export async function stopBalancers(balancers: Balancers): Promise<void> {
  await Promise.all(Object.values<Balancer>({ ...balancers }).map((balancer) => balancer.stop()));
}

/** Starts devices, and clients that keep their connections open and never retry, all through the balancers. */
export function startLoads(
  installation: Installation,
  { api, http, mqtt }: Balancers,
  read: Pick<ReadLoadOptions, 'keys' | 'paths' | 'requestsPerSecond'>,
  send: Partial<SendOptions>,
): { load: Load; reads: ReadLoad } {
  const reads = startReads({ url: `http://127.0.0.1:${api.port}`, clients: 16, ...read });
  const load = startLoad(installation, {
    replayShare: 0,
    publishesPerSecond: 40,
    senders: 2,
    pauseMs: 250,
    mqttUrl: `mqtt://127.0.0.1:${mqtt.port}`,
    ingestUrl: `http://127.0.0.1:${http.port}/ingest/readings`,
    ...send,
  });
  return { load, reads };
}
