import type { Socket } from 'node:net';
import { addressGroup } from '../values/client_address.ts';

/**
 * The largest number of connections that are not authenticated yet. A TLS handshake takes up to 3.6 ms of the one core
 * that a gateway uses: 500 take 1.8 s, or 9 s with a fifth of a core, and each handshake must end within 10 s. Above 500,
 * a device is refused at once and tries again. With a limit of 4,000, no handshake ended in time.
 */
export const MAX_HALF_OPEN = 500;

export interface ConnectionLimitOptions {
  maxConnections: number;
  maxPerAddress: number;
  /** The largest number of half-open connections: accepted, but not yet authenticated as a device. */
  maxHalfOpen: number;
  maxHalfOpenPerAddress: number;
  /** Called with the address group of a connection that closed half-open: wrong password, not MQTT, no CONNECT or evicted. */
  onFailedLogin: (addressGroup: string) => void;
}

interface Entry {
  key: string;
  socket: Socket;
  group: string;
  openedAtMs: number;
  isOpen: boolean;
  isHalfOpen: boolean;
}

interface Group {
  connections: number;
  halfOpen: Set<Entry>;
}

/**
 * At the limits of an address, its oldest half-open connection is evicted if it is older than this. Even the last of 500 concurrent TLS
 * handshakes ends after 1.8 s.
 */
const STALE_MS = 3_000;

/**
 * Limits connections, so that unknown clients cannot lock out devices. At the limit, the address with the most half-open connections loses
 * its oldest one if it has at least two more of them than the address of the new connection. So a few addresses with many connections lose some
 * to other addresses, while thousands of devices that reconnect at once are refused one by one and do not evict each other.
 */
export class ConnectionLimits {
  readonly #options: ConnectionLimitOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #groups = new Map<string, Group>();
  #halfOpen = 0;

  constructor(options: ConnectionLimitOptions) {
    this.#options = options;
  }

  /** Returns false if the connection must be refused. Behind a proxy, `address` is the client's and not the socket's. */
  admit(socket: Socket, address: string): boolean {
    const { maxConnections, maxPerAddress, maxHalfOpen, maxHalfOpenPerAddress } = this.#options;
    const key = keyOf(socket);
    const group = addressGroup(address);
    const nowMs = Date.now();
    if (key === undefined) return false;
    const { connections = 0, halfOpen = new Set<Entry>() } = this.#groups.get(group) ?? {};
    const isAddressFull = connections >= maxPerAddress || halfOpen.size >= maxHalfOpenPerAddress;
    if (isAddressFull && !this.#evictStale(halfOpen, nowMs)) return false;
    const isFull = this.#entries.size >= maxConnections || this.#halfOpen >= maxHalfOpen;
    if (isFull && !this.#evictFromLargest(halfOpen.size)) return false;
    const entry = { key, socket, group, openedAtMs: nowMs, isOpen: true, isHalfOpen: true };
    this.#add(entry);
    socket.once('close', () => {
      if (entry.isHalfOpen) this.#options.onFailedLogin(entry.group);
      this.#remove(entry);
    });
    return true;
  }

  /**
   * Records that the connection belongs to a device now, or that its handshake timed out. A timeout is no failed login: after
   * a power failure, the gateway itself may be too slow for the handshakes of all devices of an address, and would then block the
   * address. Takes the socket of `admit` or the TLS socket over it.
   */
  endHalfOpen(socket: Socket): void {
    const entry = this.#entries.get(keyOf(socket) ?? '');
    if (entry) this.#endHalfOpen(entry);
  }

  #add(entry: Entry): void {
    const group = this.#groups.get(entry.group) ?? { connections: 0, halfOpen: new Set() };
    group.connections++;
    group.halfOpen.add(entry);
    this.#groups.set(entry.group, group);
    this.#entries.set(entry.key, entry);
    this.#halfOpen++;
  }

  #remove(entry: Entry): void {
    if (!entry.isOpen) return;
    entry.isOpen = false;
    // After a reset, a client can connect again from the same port before the first socket has closed here.
    if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key);
    this.#endHalfOpen(entry);
    const group = this.#groups.get(entry.group);
    if (group === undefined) return;
    group.connections--;
    if (group.connections === 0) this.#groups.delete(entry.group);
  }

  #endHalfOpen(entry: Entry): void {
    if (!entry.isHalfOpen) return;
    entry.isHalfOpen = false;
    this.#halfOpen--;
    this.#groups.get(entry.group)?.halfOpen.delete(entry);
  }

  /** Returns false if no address has more half-open connections than the address of the new one would have. */
  #evictFromLargest(ownHalfOpen: number): boolean {
    let largest: Set<Entry> | undefined;
    for (const { halfOpen } of this.#groups.values()) {
      if (halfOpen.size > (largest?.size ?? ownHalfOpen + 1)) largest = halfOpen;
    }
    const [oldest] = largest ?? [];
    if (oldest === undefined) return false;
    this.#evict(oldest);
    return true;
  }

  /** Evicts the oldest half-open connection of an address if it has been half-open for 3 seconds. */
  #evictStale(halfOpen: ReadonlySet<Entry>, nowMs: number): boolean {
    const [oldest] = halfOpen;
    if (oldest === undefined || nowMs - oldest.openedAtMs < STALE_MS) return false;
    this.#evict(oldest);
    return true;
  }

  #evict(entry: Entry): void {
    this.#options.onFailedLogin(entry.group);
    this.#remove(entry);
    entry.socket.destroy();
  }
}

/** A key that is unique among connected sockets, and equal for a TLS socket and the socket under it. */
function keyOf({ remoteAddress, remotePort }: Socket): string | undefined {
  return remoteAddress === undefined ? undefined : `${remoteAddress} ${remotePort}`;
}
