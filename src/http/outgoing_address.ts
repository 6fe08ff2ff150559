import type { AddressConfig } from '../settings/address_settings.ts';
import { errorCode } from '../values/error_code.ts';
import { type AddressGuard, allowedAddresses, PrivateAddressError } from './guarded_agent.ts';
import { isPrivateAddress } from './private_addresses.ts';
import { createResolver, type ResolveHost } from './resolve_host.ts';

/** The settings of a guard, and a resolver that replaces the name servers. */
export interface GuardOptions extends Omit<AddressConfig, 'allowHttp'> {
  /** Resolves host names. The default asks the name servers. */
  resolveHost?: ResolveHost;
}

export const MAX_URL_LENGTH = 2_000;

/** Returns why no request can be sent to a URL, or undefined if a request can be sent. */
export function urlError(text: string, { allowHttp }: Pick<AddressConfig, 'allowHttp'>): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL such as https://example.com/tankwatch';
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.hash !== '') return 'must not have a fragment';
  return undefined;
}

/**
 * Returns why no request can be sent to this URL, as far as this is known without a request. `isCertain` is false if a
 * later attempt can succeed with the same settings: a name that cannot be resolved now may be resolved later.
 */
export async function findSendProblem(
  url: string,
  config: AddressConfig,
): Promise<{ reason: string; isCertain: boolean } | undefined> {
  const wrong = url.length > MAX_URL_LENGTH ? `must have at most ${MAX_URL_LENGTH} characters` : urlError(url, config);
  if (wrong !== undefined) return { reason: `the URL ${wrong}`, isCertain: true };
  const hostname = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
  try {
    await allowedAddresses(guardOf(config), hostname);
    return undefined;
  } catch (error) {
    return { reason: reasonOf(error), isCertain: error instanceof PrivateAddressError };
  }
}

/** Decides by the settings which addresses may be connected to. */
export function guardOf({
  allowPrivate,
  dnsServers = [],
  resolveHost = createResolver(dnsServers),
}: GuardOptions): AddressGuard {
  return { isAllowed: (address) => allowPrivate || !isPrivateAddress(address), resolveHost };
}

/** Retry-After is a number of seconds or a date. Returns null for anything else. */
export function parseRetryAfter(header: string | string[] | undefined, nowMs: number): number | null {
  if (typeof header !== 'string') return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1_000;
  const atMs = header.endsWith('GMT') ? Date.parse(header) : Number.NaN; // Date.parse also accepts "-5"
  return Number.isNaN(atMs) ? null : Math.max(atMs - nowMs, 0);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name does not exist',
  ENODATA: 'the host name has no address',
  ETIMEOUT: 'the name server did not answer in time',
  ESERVFAIL: 'the host name could not be resolved',
  EREFUSED: 'the host name could not be resolved',
  EBADNAME: 'the host name is not valid',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within 10 s',
};

const CERTIFICATE_ERROR = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/;

/**
 * Whether the connection could not be made. The code alone does not show it: ETIMEDOUT can also end an open connection.
 */
const isConnectError = (error: unknown): boolean =>
  error instanceof AggregateError
    ? error.errors.every(isConnectError)
    : error instanceof Error && 'syscall' in error && error.syscall === 'connect';

/** Whether a request that failed may have arrived, because the connection was made. */
export function mayHaveArrived(error: unknown): boolean {
  const code = errorCode(error) ?? '';
  const isEarly = Object.hasOwn(REASONS, code) && code !== 'ECONNRESET' && code !== 'UND_ERR_SOCKET';
  return !(isEarly || isConnectError(error) || CERTIFICATE_ERROR.test(code) || error instanceof PrivateAddressError);
}

/** Describes an error without addresses, which the messages of the libraries contain. */
export function reasonOf(error: unknown): string {
  if (error instanceof PrivateAddressError) return error.message;
  if (!(error instanceof Error)) return 'the request failed';
  if (error.name === 'TimeoutError') return 'no response in time';
  const code = errorCode(error) ?? error.name;
  return REASONS[code] ?? `the request failed (${code})`;
}
