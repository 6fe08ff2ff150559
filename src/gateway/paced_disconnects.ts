interface Closable {
  close(): void;
}

const TICK_MS = 50;
/**
 * At least this many connections are closed per second, so that few devices take less than the given time. A gateway
 * accepts about 500 TLS connections a second per core.
 */
const MIN_PER_SECOND = 200;

/**
 * Closes all connections, evenly over the given time. Devices reconnect at once, and each TLS handshake costs the other
 * gateways 2 ms of CPU time. If all connections closed at once, 50,000 devices would return in the same second.
 */
export async function closePaced(connections: readonly Closable[], overMs: number): Promise<void> {
  const startedAtMs = performance.now();
  const perMs = Math.max(MIN_PER_SECOND / 1_000, connections.length / Math.max(1, overMs));
  let closed = 0;
  while (closed < connections.length) {
    const due = Math.ceil((performance.now() - startedAtMs + TICK_MS) * perMs);
    for (const connection of connections.slice(closed, due)) connection.close();
    closed = due;
    if (closed < connections.length) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
}
