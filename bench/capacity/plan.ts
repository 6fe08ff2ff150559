import type { Constants } from './constants.ts';

export interface Demand {
  tanks: number;
  readingsPerDay: number;
  years: number;
}

/** What nobody can measure in advance. They are printed with every plan. */
export const ASSUMPTIONS = {
  /** The busiest minute: many devices report on the hour. */
  peakFactor: 10,
  eventsPerTankAndYear: 24,
  eventYears: 3,
  readsPerTankAndDay: 24,
  hotDays: 35,
  streamDays: 7,
  connectionSeconds: 10,
  /** Of the CPU and of the disk. The rest is for failures, backups, vacuum and growth. */
  usedShare: 0.6,
  coresPerServiceMachine: 8,
  /** Copies of the database: the primary and two replicas. */
  databaseCopies: 3,
} as const;

/** Up to this many tanks, one machine is enough for the load and for most owners. */
const ONE_MACHINE_TANKS = 20_000;
const GB = 1e9;
const OPERATING_SYSTEM_BYTES = 0.5 * GB;
const DAY_SECONDS = 86_400;
const DAYS_PER_YEAR = 365;

export interface Stage {
  tanks: number;
  kind: 'one machine' | 'replicas' | 'cells';
  cells: number;
  tanksPerCell: number;
  readingsPerSecond: number;
  peakReadingsPerSecond: number;
  /** Of all cells. */
  machines: { database: number; service: number; router: number };
  /** Of one database server. */
  database: { diskGb: number; hotGb: number; packedGb: number; memoryGb: number; cores: number };
  /** Of one nats-server. */
  streamGb: number;
  /** Of all service machines of a cell: gateways, writers, apis, workers. */
  serviceCores: number;
  /** Of one service machine: its roles and its part of the open connections. */
  serviceMemoryGb: number;
  connectedMemoryGb: number;
  /** Of all copies in all cells. */
  totalDiskTb: number;
  network: { devicesMbitPerSecond: number; replicationMbitPerSecond: number };
  walGbPerDay: number;
}

/** The stages on the way to the wanted number of tanks, the wanted one last. */
export function planStages(demand: Demand, constants: Constants): Stage[] {
  const largestCell = constants.largest_cell_tanks.value;
  const milestones = [2_000, ONE_MACHINE_TANKS, 1_000_000, largestCell].filter((tanks) => tanks < demand.tanks);
  return [...milestones, demand.tanks].map((tanks) => planStage({ ...demand, tanks }, constants));
}

export function planStage({ tanks, readingsPerDay, years }: Demand, constants: Constants): Stage {
  const c = (name: keyof Constants): number => constants[name].value;
  const { peakFactor, usedShare, hotDays } = ASSUMPTIONS;
  const cells = Math.ceil(tanks / c('largest_cell_tanks'));
  const kind = cells > 1 ? 'cells' : tanks > ONE_MACHINE_TANKS ? 'replicas' : 'one machine';
  const tanksPerCell = Math.ceil(tanks / cells);
  const perDay = tanksPerCell * readingsPerDay;
  const perSecond = perDay / DAY_SECONDS;
  const peak = perSecond * peakFactor;

  const keptDays = years * DAYS_PER_YEAR;
  const hotBytes = perDay * Math.min(hotDays, keptDays) * c('hot_reading_bytes');
  const packedBytes = perDay * Math.max(0, keptDays - hotDays) * c('packed_reading_bytes');
  const eventYears = Math.min(years, ASSUMPTIONS.eventYears);
  const eventBytes = tanksPerCell * ASSUMPTIONS.eventsPerTankAndYear * eventYears * c('event_bytes');
  const tankBytes = tanksPerCell * c('tank_bytes');
  const walBytesPerDay = perDay * c('wal_reading_bytes');
  // A checkpoint every 30 minutes keeps the WAL of about an hour.
  const walBytes = Math.max(1 * GB, walBytesPerDay / 24);
  const databaseBytes = hotBytes + packedBytes + eventBytes + tankBytes + walBytes;
  // What every day touches should stay in memory: the rows of all tanks, and today's and yesterday's readings.
  const workingBytes = tankBytes + 2 * perDay * c('hot_reading_bytes');

  // With cells, the routers terminate TLS. Otherwise the gateways do.
  const hasRouter = kind === 'cells';
  const reportCores = (peak * c(hasRouter ? 'report_plain_cpu_us' : 'report_tls_cpu_us')) / 1e6;
  const storingCores = peak / c('stored_readings_per_core');
  const reads = ((tanksPerCell * ASSUMPTIONS.readsPerTankAndDay) / DAY_SECONDS) * peakFactor;
  const readCores = reads / c('reads_per_core');
  // Each of storing and reading is measured with its database, which gets half of it here.
  const databaseCores = (storingCores + readCores) / 2 / usedShare;
  const serviceCores = (reportCores + (storingCores + readCores) / 2) / usedShare;
  const routerCores = (cells * (peak * c('report_tls_cpu_us') + reads * c('routed_request_cpu_us'))) / 1e6 / usedShare;
  const forCores = (cores: number): number => Math.ceil(cores / ASSUMPTIONS.coresPerServiceMachine);

  const serviceMachines = Math.max(3, forCores(serviceCores));
  // A gateway behind a router has connections without TLS, which take less. This is the upper bound.
  const serviceMemory = (connections: number): number =>
    memoryClass(
      c('small_installation_bytes') + (connections * c('tls_connection_bytes')) / serviceMachines / usedShare,
    );

  const copies = kind === 'one machine' ? 1 : ASSUMPTIONS.databaseCopies;
  const streamBytes = perDay * ASSUMPTIONS.streamDays * c('stream_reading_bytes');
  return {
    tanks,
    kind,
    cells,
    tanksPerCell,
    readingsPerSecond: perSecond * cells,
    peakReadingsPerSecond: peak * cells,
    machines:
      kind === 'one machine'
        ? { database: 1, service: 0, router: 0 }
        : {
            database: copies * cells,
            service: serviceMachines * cells,
            router: hasRouter ? Math.max(2, forCores(routerCores) + 1) : 0,
          },
    database: {
      diskGb: databaseBytes / usedShare / GB,
      hotGb: hotBytes / GB,
      packedGb: packedBytes / GB,
      memoryGb: memoryClass(
        workingBytes / usedShare +
          (kind === 'one machine' ? c('small_installation_bytes') : 0) +
          OPERATING_SYSTEM_BYTES,
      ),
      cores: Math.max(2, Math.ceil(databaseCores)),
    },
    streamGb: streamBytes / usedShare / GB,
    serviceCores,
    serviceMemoryGb: serviceMemory(peak * ASSUMPTIONS.connectionSeconds),
    connectedMemoryGb: serviceMemory(tanksPerCell),
    totalDiskTb: (cells * copies * (databaseBytes + streamBytes)) / usedShare / 1e12,
    network: {
      devicesMbitPerSecond: (cells * peak * c('report_bytes') * 8) / 1e6,
      replicationMbitPerSecond: ((copies - 1) * perSecond * peakFactor * c('wal_reading_bytes') * 8) / 1e6,
    },
    walGbPerDay: walBytesPerDay / GB,
  };
}

/** Machines have 1, 2, 4, 8 ... GB. */
const memoryClass = (bytes: number): number => 2 ** Math.max(0, Math.ceil(Math.log2(bytes / GB)));
