import type { TcpProxy } from '../tcp_proxy.ts';
import { type Fault, fault } from './fault.ts';
import type { ChaosInstallation, Part } from './installation.ts';

/** A link between two processes. The link between devices and a gateway has two proxies, for MQTT and for HTTP. */
interface Link {
  name: string;
  proxies: readonly TcpProxy[];
  /** The role at one end of the link. */
  part: Part;
  /** Whether the role needs the link for its work. */
  isNeeded: boolean;
}

const DELAY_MS = 300;

/** Makes each link fail in five ways. */
export function networkFaults(installation: ChaosInstallation): Fault[] {
  return linksOf(installation).flatMap((link) => [
    dropped(link),
    delayed(link),
    halfClosed(link),
    blackHole(link),
    refused(link),
  ]);
}

/** Makes three kinds of failure for a short run, each on another link. */
export function fewNetworkFaults(installation: ChaosInstallation): Fault[] {
  const { gateways, writers } = installation;
  const links = linksOf(installation);
  const link = (part: Part, end: string): Link[] =>
    links.filter(({ part: own, name }) => own === part && name.includes(end));
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
    // A gateway keeps keys and devices in memory, and accepts readings for a day without the database.
    ...gateways.map((part) => ({
      name: `${part.name} - PostgreSQL`,
      proxies: [part.toPostgres],
      part,
      isNeeded: false,
    })),
  ];
}

const restoreLink = async ({ proxies }: Link): Promise<void> => {
  await Promise.all(proxies.map((proxy) => proxy.pass()));
};

/** A short fault may be over before a role has noticed it, so the readiness of the role is not checked. */
const dropped = (link: Link): Fault =>
  fault(`drop ${link.name}`, {
    begin: async () => link.proxies.forEach((proxy) => proxy.dropConnections()),
    end: () => restoreLink(link),
    undecided: [link.part],
    holdMs: 2_000,
  });

const delayed = (link: Link): Fault =>
  fault(`delay ${link.name}`, {
    begin: async () => link.proxies.forEach((proxy) => proxy.delay(DELAY_MS)),
    end: () => restoreLink(link),
    undecided: [link.part],
    holdMs: 4_000,
  });

const halfClosed = (link: Link): Fault =>
  fault(`half-close ${link.name}`, {
    begin: async () => link.proxies.forEach((proxy) => proxy.halfClose()),
    end: () => restoreLink(link),
    undecided: [link.part],
    holdMs: 2_000,
  });

const blackHole = (link: Link): Fault =>
  fault(`black-hole ${link.name}`, {
    begin: async () => link.proxies.forEach((proxy) => proxy.blackHole()),
    end: () => restoreLink(link),
    unable: link.isNeeded ? [link.part] : [],
    holdMs: link.isNeeded ? 12_000 : 6_000,
  });

const refused = (link: Link): Fault =>
  fault(`refuse ${link.name}`, {
    begin: async () => {
      await Promise.all(link.proxies.map((proxy) => proxy.refuse()));
    },
    end: () => restoreLink(link),
    unable: link.isNeeded ? [link.part] : [],
    holdMs: 4_000,
  });
