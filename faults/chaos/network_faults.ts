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

type FaultTraits = Partial<Pick<Fault, 'unable' | 'undecided'>> & Pick<Fault, 'holdMs'>;

const linkFault = (what: string, link: Link, fail: (proxy: TcpProxy) => unknown, traits: FaultTraits): Fault =>
  fault(`${what} ${link.name}`, {
    begin: async () => void (await Promise.all(link.proxies.map(fail))),
    end: async () => void (await Promise.all(link.proxies.map((proxy) => proxy.pass()))),
    ...traits,
  });

/** A short fault may be over before a role has noticed it, so the readiness of the role is not checked. */
const dropped = (link: Link): Fault =>
  linkFault('drop', link, (proxy) => proxy.dropConnections(), { undecided: [link.part], holdMs: 2_000 });

const delayed = (link: Link): Fault =>
  linkFault('delay', link, (proxy) => proxy.delay(DELAY_MS), { undecided: [link.part], holdMs: 4_000 });

const halfClosed = (link: Link): Fault =>
  linkFault('half-close', link, (proxy) => proxy.halfClose(), { undecided: [link.part], holdMs: 2_000 });

const blackHole = (link: Link): Fault =>
  linkFault('black-hole', link, (proxy) => proxy.blackHole(), {
    unable: link.isNeeded ? [link.part] : [],
    holdMs: link.isNeeded ? 12_000 : 6_000,
  });

const refused = (link: Link): Fault =>
  linkFault('refuse', link, (proxy) => proxy.refuse(), {
    unable: link.isNeeded ? [link.part] : [],
    holdMs: 4_000,
  });
