import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { Agent, buildConnector } from 'undici';
import type { ResolveHost } from './resolve_host.ts';

/** Decides to which addresses an agent connects. */
export interface AddressGuard {
  isAllowed: (address: string) => boolean;
  resolveHost: ResolveHost;
  /** Called with the address of each new connection. Over TLS, the certificate is verified by then. */
  onConnect?: (address: string) => void;
}

export class PrivateAddressError extends Error {
  constructor() {
    super('the host has a private address');
  }
}

/**
 * An agent for requests to URLs that others chose. It checks the address of the connection, not the name: each
 * connection resolves the name once, removes addresses that are not allowed, and connects to one of the remaining
 * addresses. A DNS response that changes between check and use (DNS rebinding) therefore has no effect. Proxies of the
 * environment are not used, because a proxy resolves names itself.
 */
export function guardedAgent(guard: AddressGuard): Agent {
  const lookup: LookupFunction = (hostname, { all }, callback) => {
    callbackify(allowedAddresses)(guard, hostname, (error, addresses) => {
      const [first] = error ? [] : addresses;
      if (first === undefined) callback(error, '');
      else if (all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
  const connectTo = buildConnector({ lookup, timeout: 10_000, allowH2: false });
  const connect: buildConnector.connector = (options, callback) => {
    // The lookup is called for names only, so an IP address in the URL is checked here.
    if (isIP(options.hostname) !== 0 && !guard.isAllowed(options.hostname))
      return callback(new PrivateAddressError(), null);
    return connectTo(options, (...result) => {
      const address = result[1]?.remoteAddress;
      if (address !== undefined) guard.onConnect?.(address);
      callback(...result);
    });
  };
  return new Agent({ connect, maxHeaderSize: 16_384, pipelining: 1 });
}

/**
 * The addresses of a host name or of an IP address that may be connected to. Throws a PrivateAddressError if there are
 * none.
 */
export async function allowedAddresses({ isAllowed, resolveHost }: AddressGuard, hostname: string) {
  const family = isIP(hostname);
  const found = family === 0 ? await resolveHost(hostname) : [{ address: hostname, family }];
  const allowed = found.filter(({ address }) => isAllowed(address));
  if (allowed.length === 0) throw new PrivateAddressError();
  return allowed;
}
