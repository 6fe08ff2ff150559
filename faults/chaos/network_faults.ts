import type { TcpProxy } from '../tcp_proxy.ts';
import { type Fault, fault } from './fault.ts';
import type { ChaosInstallation, Part } from './installation.ts';

/** A link between two processes. The link between devices and a gateway has two proxies, for MQTT and for HTTP. */
interface Link {
  name: string;
  proxies: readonly TcpProxy[];
  /** The role at its end, and whether the role needs this link for its work. */
  part: Part;
  isNeeded: boolean;
}

const DELAY_MS = 300;

/** Every link fails in five ways. */
export function networkFaults(installation: ChaosInstallation): Fault[] {
  return linksOf(installation).flatMap((link) => [
    dropped(link),
    delayed(link),
    halfClosed(link),
    blackHole(link),
    refused(link),
  ]);
}

/** For a short run: three kinds of failure, each on another link. */
export function fewNetworkFaults(installation: ChaosInstallation): Fault[] {
  const { gateways, writers } = installation;
  const links = linksOf(installation);
  const link = (part: Part, end: string): Link[] => links.filter((one) => one.part === part && one.name.includes(end));
  return [
    ...link(gateways[0], 'devices').map(dropped),
    ...link(gateways[1], 'nats').map(halfClosed),
    ...link(writers[0], 'PostgreSQL').map(blackHole),
  ];
}

function linksOf({ gateways, writers }: ChaosInstallation): Link[] {
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
    // A gateway keeps keys and devices in memory; without the database it accepts readings for a day.
    ...gateways.map((part) => ({
      name: `${part.name} - PostgreSQL`,
      proxies: [part.toPostgres],
      part,
      isNeeded: false,
    })),
  ];
}

const passAgain = async ({ proxies }: Link): Promise<void> => {
  await Promise.all(proxies.map((proxy) => proxy.pass()));
};

/** A short fault may be over before a role has noticed it, so the readiness of the role is not checked. */
const dropped = (link: Link): Fault =>
  fault(`drop ${link.name}`, {
    begin: async () => link.proxies.forEach((proxy) => proxy.dropConnections()),
    end: () => passAgain(link),
    undecided: [link.part],
    holdMs: 2_000,
  });

const delayed = (link: Link): Fault =>
  fault(`delay ${link.name}`, {
    begin: async () => link.proxies.forEach((proxy) => proxy.delay(DELAY_MS)),
    end: () => passAgain(link),
    undecided: [link.part],
    holdMs: 4_000,
  });

const halfClosed = (link: Link): Fault =>
  fault(`half-close ${link.name}`, {
    begin: async () => link.proxies.forEach((proxy) => proxy.halfClose()),
    end: () => passAgain(link),
    undecided: [link.part],
    holdMs: 2_000,
  });

const blackHole = (link: Link): Fault =>
  fault(`black-hole ${link.name}`, {
    begin: async () => link.proxies.forEach((proxy) => proxy.blackHole()),
    end: () => passAgain(link),
    unable: link.isNeeded ? [link.part] : [],
    holdMs: link.isNeeded ? 12_000 : 6_000,
  });

const refused = (link: Link): Fault =>
  fault(`refuse ${link.name}`, {
    begin: async () => {
      await Promise.all(link.proxies.map((proxy) => proxy.refuse()));
    },
    end: () => passAgain(link),
    unable: link.isNeeded ? [link.part] : [],
    holdMs: 4_000,
  });
