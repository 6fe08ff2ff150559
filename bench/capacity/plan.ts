import type { Constants } from './constants.ts';
import { type CellWork, CONNECTIONS, connectionsOf, DEVICES_PER_GATEWAY, walBytesOfReading, workOf } from './load.ts';
import type { ShippedSettings } from './shipped_settings.ts';

export interface Demand {
  tanks: number;
  readingsPerDay: number;
  years: number;
  /** The load of the busiest minute as a multiple of the average. Many devices report on the hour. */
  peakFactor: number;
  /** They have about the same number of tanks. */
  organizations: number;
}

/** Values that cannot be measured in advance. They are printed with every plan. */
export const ASSUMPTIONS = {
  eventsPerTankAndYear: 24,
  eventYears: 3,
  readsPerTankAndDay: 24,
  /** Pages that an API request reads from the disk. The others are in memory. */
  diskPagesPerRead: 0.2,
  /** A month of 31 days stays hot for 35 days after its end. */
  hotDays: 66,
  streamDays: 7,
  connectionSeconds: 10,
  /** The used share of the CPU and of the disk. The rest is for failures, backups, vacuum and growth. */
  usedShare: 0.6,
  maxCoresPerServiceMachine: 8,
  processMemoryGb: 0.25,
  /** Copies of the database: the primary and two replicas. */
  databaseCopies: 3,
  streamCopies: 3,
  /** The largest size that `npm run bench -- growth --full` measures. */
  largestCellTanks: 5_000_000,
  fullBackups: 2,
  backupWalDays: 7,
  /** The share of the bytes of a report that is sent to the device. */
  sentShare: 0.5,
} as const;

/** Up to this many tanks, one machine is enough for the load and for most owners. */
const ONE_MACHINE_TANKS = 20_000;
const GB = 1e9;
const MIB = 2 ** 20;
const OPERATING_SYSTEM_BYTES = 0.5 * GB;
const DAY_SECONDS = 86_400;
const DAYS_PER_YEAR = 365;
const DAYS_PER_MONTH = DAYS_PER_YEAR / 12;
/** Packing runs for a quarter of the time, eight of ten minutes: see pack_months.ts. */
export const PACKING_SHARE = 0.25 * 0.8;
const MIN_SERVICE_MACHINES = 3;
const ROUTER_CORES = 8;
const ROUTER_MEMORY_GB = 8;
/** Two characters, each a digit or a letter. */
const SLOTS = 36 ** 2;

export interface MachineSize {
  cores: number;
  memoryGb: number;
}

export interface Stage {
  tanks: number;
  kind: 'one machine' | 'replicas' | 'cells';
  cells: number;
  tanksPerCell: number;
  organizationsPerCell: number;
  /** A router sends all organizations of a slot to the same cell. */
  organizationsPerSlot: number;
  readingsPerSecond: number;
  peakReadingsPerSecond: number;
  /** The machines of all cells. */
  machines: { database: number; service: number; router: number };
  /** The size of one machine. */
  sizes: { database: MachineSize; service: MachineSize; router: MachineSize };
  /** Memory of a service machine if all devices stay connected. */
  connectedMemoryGb: number;
  /** Gateways of a cell if all devices stay connected. */
  connectedGateways: number;
  /** The processes of a cell. `tankwatch all` is one process. */
  processes: CellWork['processes'] | { all: 1 };
  /** The connections of a cell to its primary. */
  connections: number;
  /** The needs of one database server. */
  database: { diskGb: number; hotGb: number; packedGb: number; eventsGb: number; walReserveGb: number; iops: number };
  /** The needs of one nats-server. */
  stream: { diskGb: number; iops: number; usedShare: number };
  messagesPerSecond: number;
  transactionsPerSecond: number;
  /** The disks of all database servers and nats-servers. */
  disks: { number: number; gb: number; iops: number }[];
  totalDiskTb: number;
  backupGb: number;
  network: { devicesMbitPerSecond: number; replicationMbitPerSecond: number };
  sentGbPerMonth: number;
  walBytesPerReading: number;
  /** The WAL of a cell. */
  walGbPerDay: number;
  packingHours: number;
  reevaluationCpuHours: number;
}

/** The stages on the way to the wanted number of tanks, the wanted one last. */
export function planStages(demand: Demand, constants: Constants, shipped: ShippedSettings): Stage[] {
  const milestones = [2_000, ONE_MACHINE_TANKS, 1_000_000, ASSUMPTIONS.largestCellTanks];
  return [...milestones.filter((tanks) => tanks < demand.tanks), demand.tanks].map((tanks) =>
    planStage(
      { ...demand, tanks, organizations: Math.ceil((demand.organizations * tanks) / demand.tanks) },
      constants,
      shipped,
    ),
  );
}

export function planStage(demand: Demand, constants: Constants, shipped: ShippedSettings): Stage {
  const { tanks, readingsPerDay, years, peakFactor, organizations } = demand;
  const c = (name: keyof Constants): number => constants[name].value;
  const a = ASSUMPTIONS;
  const cells = Math.ceil(tanks / a.largestCellTanks);
  const kind = cells > 1 ? 'cells' : tanks > ONE_MACHINE_TANKS ? 'replicas' : 'one machine';
  const isOneMachine = kind === 'one machine';
  const tanksPerCell = Math.ceil(tanks / cells);
  const perDay = tanksPerCell * readingsPerDay;
  const perSecond = perDay / DAY_SECONDS;
  const peak = perSecond * peakFactor;
  const requests = ((tanksPerCell * a.readsPerTankAndDay) / DAY_SECONDS) * peakFactor;
  const work = workOf(
    { readingsPerSecond: peak, requestsPerSecond: requests, hasRouter: kind === 'cells' },
    constants,
    a.usedShare,
  );

  const walBytesPerReading = walBytesOfReading(readingsPerDay, constants);
  const bytes = databaseBytes({ ...demand, tanks: tanksPerCell }, constants);
  const database = {
    diskGb: (bytes.all + shipped.walReserveBytes) / a.usedShare / GB,
    hotGb: bytes.hot / GB,
    packedGb: bytes.packed / GB,
    eventsGb: bytes.events / GB,
    walReserveGb: shipped.walReserveBytes / GB,
    // A commit waits for its WAL. Checkpoints spread the pages that they write over their hour.
    iops:
      work.transactionsPerSecond * c('wal_syncs') +
      perSecond * c('pages_written') +
      peak * c('pages_read') +
      requests * a.diskPagesPerRead,
  };
  const stream = {
    diskGb: (perDay * a.streamDays * c('stream_reading_bytes')) / a.usedShare / GB,
    iops: work.messagesPerSecond,
    usedShare: work.messagesPerSecond / c('stream_messages_per_second'),
  };

  // What every day touches should stay in memory: the rows of all tanks, and today's and yesterday's readings.
  const workingBytes = (bytes.tanks + 2 * perDay * c('hot_reading_bytes')) / a.usedShare + OPERATING_SYSTEM_BYTES;
  const smallBytes = c('small_installation_mb') * MIB;
  const serviceCores = (work.cores.gateway + work.cores.writer + work.cores.api) / a.usedShare;
  const coresOfThree = sizeClass(Math.max(2, serviceCores / MIN_SERVICE_MACHINES));
  const coresEach = Math.min(a.maxCoresPerServiceMachine, coresOfThree);
  const serviceMachines = Math.max(MIN_SERVICE_MACHINES, Math.ceil(serviceCores / coresEach));
  const processBytes = (sumOf(Object.values(work.processes)) * a.processMemoryGb * GB) / serviceMachines;
  // A gateway behind a router has connections without TLS, which take less. This is the upper bound.
  const serviceMemory = (connections: number): number =>
    sizeClass(
      (OPERATING_SYSTEM_BYTES +
        (processBytes + (connections * c('tls_connection_bytes')) / serviceMachines) / a.usedShare) /
        GB,
    );
  const sizes = {
    database: {
      cores: sizeClass(Math.max(2, (work.cores.database + (isOneMachine ? serviceCores : 0)) / a.usedShare)),
      memoryGb: sizeClass((workingBytes + (isOneMachine ? smallBytes : 0)) / GB),
    },
    service: { cores: coresEach, memoryGb: serviceMemory(peak * a.connectionSeconds) },
    router: { cores: ROUTER_CORES, memoryGb: ROUTER_MEMORY_GB },
  };
  const routerCores = (cells * (peak * c('router_report_us') + requests * c('router_request_us'))) / 1e6 / a.usedShare;
  const machines = isOneMachine
    ? { database: 1, service: 0, router: 0 }
    : {
        database: a.databaseCopies * cells,
        service: serviceMachines * cells,
        router: kind === 'cells' ? Math.max(2, Math.ceil(routerCores / ROUTER_CORES) + 1) : 0,
      };
  const disks = [
    { number: machines.database, gb: database.diskGb, iops: database.iops },
    { number: isOneMachine ? 1 : a.streamCopies * cells, gb: stream.diskGb, iops: stream.iops },
  ];
  const walBytesPerDay = perDay * walBytesPerReading;
  return {
    tanks,
    kind,
    cells,
    tanksPerCell,
    organizationsPerCell: organizations / cells,
    organizationsPerSlot: organizations / SLOTS,
    readingsPerSecond: perSecond * cells,
    peakReadingsPerSecond: peak * cells,
    machines,
    sizes,
    connectedMemoryGb: serviceMemory(tanksPerCell),
    connectedGateways: Math.max(work.processes.gateway, Math.ceil(tanksPerCell / DEVICES_PER_GATEWAY)),
    processes: isOneMachine ? { all: 1 } : work.processes,
    connections: isOneMachine ? sumOf(Object.values(CONNECTIONS)) : connectionsOf(work.processes),
    database,
    stream,
    messagesPerSecond: work.messagesPerSecond,
    transactionsPerSecond: work.transactionsPerSecond,
    disks,
    totalDiskTb: sumOf(disks.map(({ number, gb }) => number * gb)) / 1_000,
    backupGb: (cells * (a.fullBackups * bytes.all + a.backupWalDays * walBytesPerDay)) / GB,
    network: {
      devicesMbitPerSecond: (cells * peak * c('report_bytes') * 8) / 1e6,
      replicationMbitPerSecond: isOneMachine ? 0 : ((a.databaseCopies - 1) * peak * walBytesPerReading * 8) / 1e6,
    },
    sentGbPerMonth: (cells * perDay * DAYS_PER_MONTH * c('report_bytes') * a.sentShare) / GB,
    walBytesPerReading,
    walGbPerDay: walBytesPerDay / GB,
    packingHours: tanksPerCell / (c('packed_months_per_second') * PACKING_SHARE) / 3_600,
    reevaluationCpuHours: (perDay * years * DAYS_PER_YEAR * c('reevaluated_reading_us')) / 3.6e9,
  };
}

/** The bytes of the tables of a cell when its oldest readings reach the end of their retention. */
function databaseBytes({ tanks, readingsPerDay, years }: Demand, constants: Constants) {
  const c = (name: keyof Constants): number => constants[name].value;
  const { hotDays, eventsPerTankAndYear, eventYears } = ASSUMPTIONS;
  const [perDay, keptDays] = [tanks * readingsPerDay, years * DAYS_PER_YEAR];
  const hot = perDay * Math.min(hotDays, keptDays) * c('hot_reading_bytes');
  const packed = perDay * Math.max(0, keptDays - hotDays) * c('packed_reading_bytes');
  const eventBytes = c('event_bytes') + c('delivery_bytes') + c('mail_bytes');
  const events = tanks * eventsPerTankAndYear * Math.min(years, eventYears) * eventBytes;
  const tankBytes = tanks * c('tank_bytes');
  return { hot, packed, events, tanks: tankBytes, all: hot + packed + events + tankBytes };
}

/** Machines have 1, 2, 4, 8 ... cores or GB. */
const sizeClass = (needed: number): number => 2 ** Math.max(0, Math.ceil(Math.log2(needed)));

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
