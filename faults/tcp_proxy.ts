import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from '../src/setup/servers/free_port.ts';

/** One connection through the proxy: the side that connected, and our connection to the target. */
interface Link {
  near: Socket;
  far: Socket;
}

/**
 * A TCP proxy on loopback that can fail like a network does. The kernel's own tool for this (netem) is missing in many
 * containers and on some machines; this one needs nothing but a port.
 */
export class TcpProxy {
  readonly #targetPort: () => number;
  readonly #links = new Set<Link>();
  /** Connections that were accepted while the proxy is a black hole, and lead nowhere yet. */
  readonly #waiting = new Set<Socket>();
  #server: Server | undefined;
  #delayMs = 0;
  #isBlackHole = false;
  port = 0;

  private constructor(targetPort: () => number) {
    this.#targetPort = targetPort;
  }

  /** The target is asked for with every connection, so that a balancer can choose among several. */
  static async listen(targetPort: () => number): Promise<TcpProxy> {
    const proxy = new TcpProxy(targetPort);
    await proxy.#startListening();
    return proxy;
  }

  /** Ends every fault: forwards what waits, accepts connections, adds no delay. */
  async pass(): Promise<void> {
    this.#delayMs = 0;
    this.#isBlackHole = false;
    for (const { near, far } of this.#links) {
      near.resume();
      far.resume();
    }
    for (const near of this.#waiting) this.#connectOn(near);
    this.#waiting.clear();
    if (this.#server === undefined) await this.#startListening();
  }

  /** Resets every open connection on both sides. New ones work. */
  dropConnections(): void {
    for (const { near, far } of this.#links) {
      near.resetAndDestroy();
      far.resetAndDestroy();
    }
    for (const near of this.#waiting) near.resetAndDestroy();
    this.#waiting.clear();
  }

  /** Delivers every byte this much later, in order. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** Closes the target's half of every open connection: the near side sees the end, the far side does not. */
  halfClose(): void {
    for (const { near } of this.#links) near.end();
  }

  /** Neither forwards nor closes anything. New connections are accepted and lead nowhere. */
  blackHole(): void {
    this.#isBlackHole = true;
    for (const { near, far } of this.#links) {
      near.pause();
      far.pause();
    }
  }

  /** Resets what is open and refuses new connections. */
  async refuse(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.dropConnections();
    if (server) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  /** The local ports of our connections to the target, by which the target identifies them. */
  farPorts(): number[] {
    return [...this.#links].flatMap(({ far }) => far.localPort ?? []);
  }

  async close(): Promise<void> {
    await this.refuse();
  }

  async #startListening(): Promise<void> {
    const server = createServer({ allowHalfOpen: true }, (near) => {
      near.on('error', () => {});
      near.setNoDelay(true);
      if (!this.#isBlackHole) return this.#connectOn(near);
      near.pause();
      this.#waiting.add(near);
      near.once('close', () => this.#waiting.delete(near));
    });
    // Not a port that the system chooses: while the proxy refuses, another connection could take such a port.
    if (this.port === 0) this.port = await freePort();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(this.port, '127.0.0.1', resolve);
    });
    this.#server = server;
  }

  #connectOn(near: Socket): void {
    const far = connect({ port: this.#targetPort(), host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    const link = { near, far };
    this.#links.add(link);
    far.on('error', () => {});
    this.#forward(near, far);
    this.#forward(far, near);
    const forget = (): void => {
      this.#links.delete(link);
      near.destroy();
      far.destroy();
    };
    near.once('close', forget);
    far.once('close', forget);
    if (this.#isBlackHole) far.pause();
  }

  #forward(from: Socket, to: Socket): void {
    const send = (work: () => void): void => {
      // Timers of the same length fire in order; a shorter delay must not let later bytes pass earlier ones.
      const atMs = Math.max(performance.now() + this.#delayMs, lastAtMs);
      lastAtMs = atMs;
      const waitMs = Math.max(0, atMs - performance.now());
      if (waitMs === 0 && waiting === 0) return work();
      waiting++;
      setTimeout(() => {
        waiting--;
        work();
      }, waitMs);
    };
    let lastAtMs = 0;
    let waiting = 0;
    from.on('data', (chunk: Buffer) => {
      send(() => {
        if (to.writable) to.write(chunk);
      });
    });
    from.on('end', () => send(() => to.end()));
  }
}
