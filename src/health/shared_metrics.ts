import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { EventLoopWatch } from './event_loop_watch.ts';

/** The current use of the connections of a pool. */
export interface PoolUse {
  /** Connections that run a statement or a transaction. */
  inUse: number;
  idle: number;
  /** Statements or transactions that wait for a connection. */
  waiting: number;
}

/** The counters of pg's Pool. */
interface CountingPool {
  totalCount: number;
  idleCount: number;
  waitingCount: number;
}

export const poolUse = ({ totalCount, idleCount, waitingCount }: CountingPool): PoolUse => ({
  inUse: totalCount - idleCount,
  idle: idleCount,
  waiting: waitingCount,
});

/** Metrics that more than one role exports. A process with all roles has each of them once. */
export type SharedMetrics = ReturnType<typeof declareShared>;

const declared = new WeakMap<Registry, SharedMetrics>();

export function sharedMetrics(registry: Registry): SharedMetrics {
  const known = declared.get(registry);
  if (known) return known;
  const created = declareShared(registry);
  declared.set(registry, created);
  return created;
}

function declareShared(registry: Registry) {
  const { gauge } = declare(registry);
  const registers = [registry];
  const pools = new Map<string, () => PoolUse>();
  const roles = new Map<string, () => Promise<boolean>>();
  const ready = new Gauge({
    name: 'tankwatch_ready',
    help: 'Whether the role is ready: 1 or 0. /readyz returns the reasons if it is not.',
    labelNames: ['role'],
    registers,
    async collect() {
      for (const [role, isReady] of roles) this.set({ role }, (await isReady()) ? 1 : 0);
    },
  });
  const loops = new Map<string, EventLoopWatch>();
  const eventLoopDelay = new Gauge({
    name: 'tankwatch_event_loop_delay_seconds',
    help: 'Longest time within the last 30 to 60 seconds in which the role served nobody. Roles of one process have one value.',
    labelNames: ['role'],
    registers,
    collect() {
      for (const [role, watch] of loops) this.set({ role }, watch.longestSeconds);
    },
  });
  const poolConnections = new Gauge({
    name: 'tankwatch_pool_connections',
    help: 'Database connections of a pool by state: in_use or idle.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, use] of pools) {
        const { inUse, idle } = use();
        this.set({ pool, state: 'in_use' }, inUse);
        this.set({ pool, state: 'idle' }, idle);
      }
    },
  });
  const poolWaiting = new Gauge({
    name: 'tankwatch_pool_waiting',
    help: 'Statements or transactions that wait for a database connection of a pool.',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, use] of pools) this.set({ pool }, use().waiting);
    },
  });
  return {
    ready,
    eventLoopDelay,
    poolConnections,
    poolWaiting,
    /** Exports the use of a pool. The name becomes a label, so there must be few names. */
    watchPool: (name: string, use: () => PoolUse): void => void pools.set(name, use),
    watchEventLoop: (role: string, watch: EventLoopWatch): void => void loops.set(role, watch),
    watchRole: (role: string, isReady: () => Promise<boolean>): void => void roles.set(role, isReady),
    streamBytes: gauge('tankwatch_stream_bytes', 'Size of the stream.'),
    streamMaxBytes: gauge('tankwatch_stream_max_bytes', 'Maximum size of the stream.'),
  };
}

/** Declares metrics in a registry. The names of labels are part of the type, so a wrong name does not compile. */
export function declare(registry: Registry) {
  const registers = [registry];
  const counter = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name, help, labelNames, registers });
  return {
    counter,
    gauge: <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
      new Gauge({ name, help, labelNames, registers }),
    histogram: <Label extends string = never>(
      name: string,
      help: string,
      buckets: number[],
      labelNames: Label[] = [],
    ) => new Histogram({ name, help, buckets, labelNames, registers }),
    /** Each series starts at 0, because Prometheus would not count the first increment of a new series as an increase. */
    countedBy: <Label extends string>(name: string, help: string, label: Label, values: readonly string[]) => {
      const counted = counter(name, help, [label]);
      for (const value of values) counted.labels(value).inc(0);
      return counted;
    },
  };
}
