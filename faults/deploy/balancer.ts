import { setTimeout as sleep } from 'node:timers/promises';
import { probeReady } from '../../engines/process.ts';
import { TcpProxy } from '../tcp_proxy.ts';

/** One of the processes behind a balancer: where connections go, and where it says whether it is ready. */
export interface Backend {
  port: number;
  readyPort: number;
}

const LOOK_EVERY_MS = 100;

/** What a load balancer in front of several processes does: each new connection goes to one that is ready, in turn. */
export class Balancer {
  readonly #proxy: TcpProxy;
  readonly #backends: readonly Backend[];
  readonly #ready = new Set<Backend>();
  readonly #stopping = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  private constructor(proxy: TcpProxy, backends: readonly Backend[]) {
    this.#proxy = proxy;
    this.#backends = backends;
  }

  static async start(backends: readonly Backend[]): Promise<Balancer> {
    let turn = 0;
    const choose = (): number => {
      const ready = backends.filter((backend) => balancer.#ready.has(backend));
      return (ready[turn++ % ready.length] ?? backends[0])?.port ?? 0;
    };
    const balancer = new Balancer(await TcpProxy.listen(choose), backends);
    balancer.#running = Promise.all(backends.map((backend) => balancer.#watch(backend)));
    return balancer;
  }

  get port(): number {
    return this.#proxy.port;
  }

  async untilReady(index: number): Promise<void> {
    const deadlineMs = Date.now() + 30_000;
    const backend = this.#backends[index];
    if (backend === undefined) throw new RangeError(`there is no process ${index}`);
    while (!this.#ready.has(backend)) {
      if (Date.now() > deadlineMs) throw new Error(`the process on port ${backend.port} is not ready after 30 s`);
      await sleep(50);
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#proxy.close();
  }

  async #watch(backend: Backend): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      if (await probeReady(backend.readyPort)) this.#ready.add(backend);
      else this.#ready.delete(backend);
      await sleep(LOOK_EVERY_MS);
    }
  }
}
