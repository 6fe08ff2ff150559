import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';

/** What the child process has to send. */
export interface FloodOrder {
  port: number;
  keys: readonly string[];
  path: string;
  requestsPerSecond: number;
  /** Connections that send the next request after the answer to the previous one, as common clients do. */
  connections: number;
  /** Connections with up to `PIPELINED` unanswered requests. */
  pipeliningConnections: number;
  /** Clients that send their request a byte at a time, or never read the answer. */
  slowClients: number;
  durationMs: number;
}

export interface FloodResult {
  sent: number;
  /** Requests that were due while every connection waited for an answer. */
  heldBack: number;
  /** The number of answers by status. */
  statuses: Record<string, number>;
  /** Answers with 429 or 503 but without Retry-After. */
  withoutRetryAfter: number;
  /** Connections that the server closed although their requests were complete. */
  closed: number;
}

const TICK_MS = 10;
const PIPELINED = 50;

/** The address of the sender with this index: one of ten. The honest clients use 127.0.0.1. */
const addressOf = (index: number): string => `127.0.1.${(index % 10) + 1}`;

/** Sends requests at a fixed rate while connections are free for them. It runs in another process with a low priority. */
export async function flood(order: FloodOrder): Promise<FloodResult> {
  const result: FloodResult = { sent: 0, heldBack: 0, statuses: {}, withoutRetryAfter: 0, closed: 0 };
  const { connections, pipeliningConnections } = order;
  const senders = Array.from(
    { length: connections + pipeliningConnections },
    (_, n) => new Sender(order, n, n < connections ? 1 : PIPELINED, result),
  );
  const slow = Array.from({ length: order.slowClients }, (_, n) => startSlowClient(order, n));
  const startMs = performance.now();
  let due = 0;
  for (;;) {
    const nowMs = performance.now();
    if (nowMs - startMs >= order.durationMs) break;
    const planned = ((nowMs - startMs) / 1_000) * order.requestsPerSecond;
    // Each round begins with another sender. Rounds continue while a sender is free.
    let isAnyFree = true;
    while (due < planned && isAnyFree) {
      isAnyFree = false;
      for (let n = 0; n < senders.length && due < planned; n++) {
        if (senders[(n + due) % senders.length]?.request() !== true) continue;
        isAnyFree = true;
        due++;
      }
    }
    result.heldBack += Math.max(0, Math.floor(planned) - due);
    due = Math.max(due, Math.floor(planned));
    for (const sender of senders) sender.flush();
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  await Promise.all(senders.map((sender) => sender.untilAnswered(5_000)));
  for (const sender of senders) sender.end();
  for (const stop of slow) stop();
  return result;
}

class Sender {
  readonly #socket: Socket;
  readonly #result: FloodResult;
  readonly #text: string;
  readonly #maxUnanswered: number;
  #waiting = 0;
  #unanswered = 0;
  #rest = '';
  #hasEnded = false;

  constructor({ port, keys, path }: FloodOrder, index: number, maxUnanswered: number, result: FloodResult) {
    this.#result = result;
    this.#maxUnanswered = maxUnanswered;
    this.#text = `GET ${path} HTTP/1.1\r\nHost: api\r\nX-API-Key: ${keys[index % keys.length]}\r\n\r\n`;
    this.#socket = connect({ port, host: '127.0.0.1', localAddress: addressOf(index) }).setNoDelay(true);
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (chunk: string) => this.#read(chunk)).on('error', () => {});
    this.#socket.on('close', () => {
      if (!this.#hasEnded) result.closed++;
      this.#hasEnded = true;
    });
  }

  /** Adds a request to the next write. Returns false if too many requests have no answer yet. */
  request(): boolean {
    if (this.#hasEnded || this.#unanswered + this.#waiting >= this.#maxUnanswered) return false;
    this.#waiting++;
    return true;
  }

  flush(): void {
    if (this.#waiting === 0 || this.#hasEnded) return;
    this.#socket.write(this.#text.repeat(this.#waiting));
    this.#result.sent += this.#waiting;
    this.#unanswered += this.#waiting;
    this.#waiting = 0;
  }

  async untilAnswered(timeoutMs: number): Promise<void> {
    for (const endMs = performance.now() + timeoutMs; performance.now() < endMs && this.#unanswered > 0; )
      await new Promise((resolve) => setTimeout(resolve, 50));
  }

  end(): void {
    this.#hasEnded = true;
    this.#socket.destroy();
  }

  /** Bodies are JSON and contain no header lines, so each head ends at the first empty line after its status line. */
  #read(chunk: string): void {
    this.#rest += chunk;
    for (;;) {
      const start = this.#rest.indexOf('HTTP/1.1 ');
      const end = start < 0 ? -1 : this.#rest.indexOf('\r\n\r\n', start);
      if (end < 0) break;
      const head = this.#rest.slice(start, end).toLowerCase();
      const status = head.slice(9, 12);
      this.#result.statuses[status] = (this.#result.statuses[status] ?? 0) + 1;
      if ((status === '429' || status === '503') && !head.includes('\r\nretry-after: '))
        this.#result.withoutRetryAfter++;
      this.#unanswered--;
      this.#rest = this.#rest.slice(end + 4);
    }
    // Only the end of a body, or the beginning of a head, is kept.
    if (!this.#rest.includes('HTTP/1.1 ')) this.#rest = this.#rest.slice(-16);
  }
}

/**
 * Starts a slow client. With an even index it sends one byte of a request each second, with an odd one it never reads its answer.
 * Returns a function that stops it.
 */
function startSlowClient({ port, keys, path }: FloodOrder, index: number): () => void {
  const socket = connect({ port, host: '127.0.0.1', localAddress: addressOf(index) });
  socket.on('error', () => {});
  const text = `GET ${path} HTTP/1.1\r\nHost: api\r\nX-API-Key: ${keys[index % keys.length]}\r\n\r\n`;
  if (index % 2 === 1) {
    socket.pause();
    socket.write(text);
    return () => socket.destroy();
  }
  let sent = 0;
  const timer = setInterval(() => {
    if (!socket.destroyed) socket.write(text[sent % text.length] ?? '');
    sent++;
  }, 1_000);
  return () => {
    clearInterval(timer);
    socket.destroy();
  };
}

if (process.send !== undefined) {
  process.once('message', (order: FloodOrder) => {
    setPriority(10);
    const run = async (): Promise<void> => {
      process.send?.(await flood(order));
      process.disconnect();
    };
    void run();
  });
}
