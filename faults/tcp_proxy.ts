import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from '../src/setup/servers/free_port.ts';

/** One connection through the proxy. */
interface Link {
  /** The accepted connection. */
  near: Socket;
  /** The connection to the target. */
  far: Socket;
}

/**
 * A TCP proxy on loopback that can fail like a network. Many containers and some machines lack netem, the tool of the kernel for
 * this; the proxy needs only a port.
 */
export class TcpProxy {
  readonly #targetPort: () => number;
  readonly #links = new Set<Link>();
  /** Connections that were accepted while the proxy is a black hole, and have no connection to the target yet. */
  readonly #waiting = new Set<Socket>();
  #server: Server | undefined;
  #delayMs = 0;
  #isBlackHole = false;
  port = 0;

  private constructor(targetPort: () => number) {
    this.#targetPort = targetPort;
  }

  /** Starts a proxy. `targetPort` is called for every connection, so that a balancer can choose among several targets. */
  static async listen(targetPort: () => number): Promise<TcpProxy> {
    const proxy = new TcpProxy(targetPort);
    await proxy.#startListening();
    return proxy;
  }

  /** Ends every fault: forwards delayed bytes, accepts connections, adds no delay. */
  async pass(): Promise<void> {
    this.#delayMs = 0;
    this.#isBlackHole = false;
    for (const { near, far } of this.#links) {
      near.resume();
      far.resume();
    }
    for (const near of this.#waiting) this.#connectToTarget(near);
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

  /** Ends the direction from the target of every open connection: the near side sees the end, the target does not. */
  halfClose(): void {
    for (const { near } of this.#links) near.end();
  }

  /** Neither forwards nor closes anything. New connections are accepted and not connected to the target. */
  blackHole(): void {
    this.#isBlackHole = true;
    for (const { near, far } of this.#links) {
      near.pause();
      far.pause();
    }
  }

  /** Resets open connections and refuses new ones. */
  async refuse(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.dropConnections();
    if (server) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  /** The local ports of the connections to the target, by which the target identifies them. */
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
      if (!this.#isBlackHole) return this.#connectToTarget(near);
      near.pause();
      this.#waiting.add(near);
      near.once('close', () => this.#waiting.delete(near));
    });
    // The system does not choose the port, because another connection could get such a port while the proxy refuses.
    if (this.port === 0) this.port = await freePort();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(this.port, '127.0.0.1', resolve);
    });
    this.#server = server;
  }

  #connectToTarget(near: Socket): void {
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
      // After the delay was shortened, later bytes must not overtake earlier ones. Timers of the same length fire in order.
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
