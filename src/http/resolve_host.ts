import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export type ResolveHost = (hostname: string) => Promise<LookupAddress[]>;

/**
 * The deadline of resolving a name. A name server that does not answer delays a request by this time, and blocks no
 * thread.
 */
const DEADLINE_MS = 4_000;
/**
 * The first timeout. c-ares shortens it to 250 ms once a name server has answered quickly, and doubles it with each
 * try. So with four tries, a name that must be resolved recursively has about 3.7 s.
 */
const TIMEOUT_MS = 1_000;
const TRIES = 4;
/** How long the addresses of one family wait for the other family (RFC 8305, section 3). */
const OTHER_FAMILY_MS = 50;

/**
 * Resolves names by DNS queries on the event loop. `dns.lookup` would use getaddrinfo on libuv's four threads: four
 * names whose name servers do not answer would block the webhooks of all organizations, and access to files. Unlike
 * getaddrinfo, this does not read /etc/hosts. `servers` are addresses such as 10.0.0.2 or 10.0.0.2:5353; if empty, the
 * name servers of the system are used.
 */
export function createResolver(servers: readonly string[]): ResolveHost {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  return async (hostname) => {
    if (/^(.+\.)?localhost\.?$/i.test(hostname)) return LOCALHOST;
    const deadline = new AbortController();
    const late = sleep(DEADLINE_MS, undefined, { signal: deadline.signal }).then(() =>
      Promise.reject(new ResolveTimeoutError()),
    );
    late.catch(() => {}); // aborted when the name is resolved
    const ipv4 = Promise.race([resolver.resolve4(hostname).then((found) => withFamily(found, 4)), late]);
    const ipv6 = Promise.race([resolver.resolve6(hostname).then((found) => withFamily(found, 6)), late]);
    // Throws an AggregateError if both failed. IPv4 comes first because its error explains more: many names lack IPv6.
    const first = await Promise.any([ipv4, ipv6])
      .catch((error: unknown) => Promise.reject(firstError(error)))
      .finally(() => deadline.abort());
    const wait = sleep(OTHER_FAMILY_MS, []);
    const both = await Promise.all([ipv4, ipv6].map((family) => Promise.race([family.catch(() => []), wait])));
    const found = both.flat();
    return found.length > 0 ? found : first;
  };
}

/** An error with the code that c-ares uses for a timeout. */
class ResolveTimeoutError extends Error {
  readonly code = 'ETIMEOUT';
}

/** A name server is never asked for localhost (RFC 6761). */
const LOCALHOST: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

const withFamily = (addresses: readonly string[], family: 4 | 6): LookupAddress[] =>
  addresses.map((address) => ({ address, family }));

function firstError(error: unknown): unknown {
  return error instanceof AggregateError ? error.errors[0] : error;
}
