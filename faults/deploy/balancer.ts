import { probeReady } from '../../engines/process.ts';
import { type Repeated, repeat } from '../../engines/repeat.ts';
import { until } from '../../engines/until.ts';
import { TcpProxy } from '../tcp_proxy.ts';

/** A process behind a balancer. */
export interface Backend {
  port: number;
  /** The port that answers whether the process is ready. */
  readyPort: number;
}

const LOOK_EVERY_MS = 100;

/** A load balancer in front of several processes: each new connection goes to the next process that is ready. */
export class Balancer {
  readonly #proxy: TcpProxy;
  readonly #backends: readonly Backend[];
  readonly #ready = new Set<Backend>();
  readonly #watching: readonly Repeated[];

  private constructor(proxy: TcpProxy, backends: readonly Backend[]) {
    this.#proxy = proxy;
    this.#backends = backends;
    this.#watching = backends.map((backend) =>
      repeat(LOOK_EVERY_MS, async () => {
        if (await probeReady(backend.readyPort)) this.#ready.add(backend);
        else this.#ready.delete(backend);
      }),
    );
  }

  static async start(backends: readonly Backend[]): Promise<Balancer> {
    let connections = 0;
    const choosePort = (): number => {
      connections++;
      const ready = backends.filter((backend) => balancer.#ready.has(backend));
      return (ready[connections % ready.length] ?? backends[0])?.port ?? 0;
    };
    const balancer = new Balancer(await TcpProxy.listen(choosePort), backends);
    return balancer;
  }

  get port(): number {
    return this.#proxy.port;
  }

  async untilReady(index: number): Promise<void> {
    const backend = this.#backends[index];
    if (backend === undefined) throw new RangeError(`there is no process ${index}`);
    await until(`port ${backend.port} is ready`, async () => this.#ready.has(backend), 30_000);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#watching.map((watch) => watch.stop()));
    await this.#proxy.close();
  }
}
