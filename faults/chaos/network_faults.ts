import type { TcpProxy } from '../tcp_proxy.ts';
import { type Fault, fault } from './fault.ts';
import type { ChaosInstallation, Part } from './installation.ts';

/** One way between two processes, or two where a gateway listens for MQTT and for HTTP. */
interface Way {
  name: string;
  proxies: readonly TcpProxy[];
  /** The role at its end, and whether it can do its work without this way. */
  part: Part;
  isNeeded: boolean;
}

const DELAY_MS = 300;

/** Every way fails in each of five manners. */
export function networkFaults(installation: ChaosInstallation): Fault[] {
  return waysOf(installation).flatMap((way) => [
    dropped(way),
    delayed(way),
    halfClosed(way),
    blackHole(way),
    refused(way),
  ]);
}

/** For a short run: one of each manner, each on another way. */
export function fewNetworkFaults(installation: ChaosInstallation): Fault[] {
  const { gateways, writers } = installation;
  const ways = waysOf(installation);
  const way = (part: Part, end: string): Way[] => ways.filter((one) => one.part === part && one.name.includes(end));
  return [
    ...way(gateways[0], 'devices').map(dropped),
    ...way(gateways[1], 'nats').map(halfClosed),
    ...way(writers[0], 'PostgreSQL').map(blackHole),
  ];
}

function waysOf({ gateways, writers }: ChaosInstallation): Way[] {
  return [
    ...gateways.map((part) => ({
      name: `devices - ${part.name}`,
      proxies: [part.fromMqtt, part.fromHttp],
      part,
      isNeeded: false,
    })),
    ...[...gateways, ...writers].map((part) => ({
      name: `${part.name} - nats-server`,
      proxies: [part.toNats],
      part,
      isNeeded: true,
    })),
    ...writers.map((part) => ({
      name: `${part.name} - PostgreSQL`,
      proxies: [part.toPostgres],
      part,
      isNeeded: true,
    })),
    // A gateway knows keys and devices by heart; without the database it accepts readings for a day.
    ...gateways.map((part) => ({
      name: `${part.name} - PostgreSQL`,
      proxies: [part.toPostgres],
      part,
      isNeeded: false,
    })),
  ];
}

const passAgain = async ({ proxies }: Way): Promise<void> => {
  await Promise.all(proxies.map((proxy) => proxy.pass()));
};

/** Short faults may be over before a role has noticed, so it may say either. */
const dropped = (way: Way): Fault =>
  fault(`drop ${way.name}`, {
    begin: async () => way.proxies.forEach((proxy) => proxy.dropConnections()),
    end: () => passAgain(way),
    undecided: [way.part],
    holdMs: 2_000,
  });

const delayed = (way: Way): Fault =>
  fault(`delay ${way.name}`, {
    begin: async () => way.proxies.forEach((proxy) => proxy.delay(DELAY_MS)),
    end: () => passAgain(way),
    undecided: [way.part],
    holdMs: 4_000,
  });

const halfClosed = (way: Way): Fault =>
  fault(`half-close ${way.name}`, {
    begin: async () => way.proxies.forEach((proxy) => proxy.halfClose()),
    end: () => passAgain(way),
    undecided: [way.part],
    holdMs: 2_000,
  });

const blackHole = (way: Way): Fault =>
  fault(`black-hole ${way.name}`, {
    begin: async () => way.proxies.forEach((proxy) => proxy.blackHole()),
    end: () => passAgain(way),
    unable: way.isNeeded ? [way.part] : [],
    holdMs: way.isNeeded ? 12_000 : 6_000,
  });

const refused = (way: Way): Fault =>
  fault(`refuse ${way.name}`, {
    begin: async () => {
      await Promise.all(way.proxies.map((proxy) => proxy.refuse()));
    },
    end: () => passAgain(way),
    unable: way.isNeeded ? [way.part] : [],
    holdMs: 4_000,
  });
