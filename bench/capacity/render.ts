import type { Constants } from './constants.ts';
import { ASSUMPTIONS, type Demand, type MachineSize, type Stage } from './plan.ts';
import { type PriceList, priceStage } from './prices.ts';
import type { ShippedSettings } from './shipped_settings.ts';

export interface Plan {
  demand: Demand;
  stages: readonly Stage[];
  constants: Constants;
  prices: PriceList;
  shipped: ShippedSettings;
}

/** The plan as Markdown: a table of stages, the assumptions, and every constant with its source. */
export function renderPlan({ demand, stages, constants, prices, shipped }: Plan): string {
  return [
    `${count(demand.tanks)} tanks of ${amountOf(demand.organizations)}, ${demand.readingsPerDay} readings a day, kept for ${demand.years} years`,
    '',
    ...renderStages(stages, prices),
    '',
    ...renderAssumptions(demand, prices, shipped),
    '',
    '| Constant | Value | Measured with `npm run ... --json` |',
    '|---|---|---|',
    ...Object.values(constants).map(
      ({ what, value, unit, command, figure, recorded_on, note }) =>
        `| ${what} | ${count(value)} ${unit} | \`${command}\`, "${figure}", ${recorded_on}${note === '' ? '' : `; ${note}`} |`,
    ),
    '',
  ].join('\n');
}

function renderStages(stages: readonly Stage[], prices: PriceList): string[] {
  const row = (name: string, cell: (stage: Stage) => string): string =>
    `| ${name} | ${stages.map((stage) => cell(stage)).join(' | ')} |`;
  const unlessOneMachine = (cell: (stage: Stage) => string) => (stage: Stage) =>
    stage.kind === 'one machine' ? '' : cell(stage);
  const cellsOnly = (cell: (stage: Stage) => string) => (stage: Stage) => (stage.kind === 'cells' ? cell(stage) : '');
  const price = (name: string, part: keyof ReturnType<typeof priceStage>): string =>
    row(name, (stage) => `${count(priceStage(stage, prices)[part])} ${prices.currency}`);
  return [
    row('Tanks', ({ tanks }) => count(tanks)),
    `|---|${stages.map(() => '---|').join('')}`,
    row('stage', ({ kind }) => kind),
    row('cells', ({ cells }) => count(cells)),
    row('organizations of a cell', ({ organizationsPerCell }) => count(Math.ceil(organizationsPerCell))),
    row(
      'organizations of a slot, which a router moves together, if all slots are in use',
      cellsOnly(({ organizationsPerSlot }) => count(Math.ceil(organizationsPerSlot))),
    ),
    row('readings/s, average', ({ readingsPerSecond }) => count(readingsPerSecond)),
    row('readings/s, peak', ({ peakReadingsPerSecond }) => count(peakReadingsPerSecond)),
    row('database machines', ({ machines }) => count(machines.database)),
    row('service machines', ({ kind, machines }) =>
      kind === 'one machine' ? 'the same one' : count(machines.service),
    ),
    row(
      'router machines',
      cellsOnly(({ machines }) => count(machines.router)),
    ),
    row('each database machine', ({ sizes }) => machine(sizes.database)),
    row(
      'each service machine',
      unlessOneMachine(({ sizes }) => machine(sizes.service)),
    ),
    row(
      'each service machine: memory if all devices stay connected',
      unlessOneMachine(({ connectedMemoryGb }) => `${count(connectedMemoryGb)} GB`),
    ),
    row(
      'each router machine',
      cellsOnly(({ sizes }) => machine(sizes.router)),
    ),
    row('processes of a cell: gateways, writers, apis, workers', ({ processes }) =>
      'all' in processes
        ? 'one for all roles'
        : [processes.gateway, processes.writer, processes.api, processes.worker].map(count).join(', '),
    ),
    row(
      'gateways of a cell if all devices stay connected',
      unlessOneMachine(({ connectedGateways }) => count(connectedGateways)),
    ),
    row('connections to PostgreSQL, at most', ({ connections }) => count(connections)),
    row('each database: disk', ({ database }) => size(database.diskGb)),
    row('each database: disk for hot readings, at most', ({ database }) => size(database.hotGb)),
    row('each database: disk for packed readings', ({ database }) => size(database.packedGb)),
    row('each database: disk for events, with deliveries and mails', ({ database }) => size(database.eventsGb)),
    row('each database: disk reserved for WAL', ({ database }) => size(database.walReserveGb)),
    row('each database: IOPS, peak', ({ database }) => count(database.iops)),
    row('transactions/s of a cell, peak', ({ transactionsPerSecond }) => count(transactionsPerSecond)),
    row('each nats-server: disk', ({ stream }) => size(stream.diskGb)),
    row('messages/s of a stream, peak', ({ messagesPerSecond }) => count(messagesPerSecond)),
    row('share of the measured messages/s of a stream', ({ stream }) => `${count(stream.usedShare * 100)} %`),
    row('WAL of a reading', ({ walBytesPerReading }) => `${count(walBytesPerReading)} bytes`),
    row('WAL of a cell per day', ({ walGbPerDay }) => size(walGbPerDay)),
    row('all disks together', ({ totalDiskTb }) => size(totalDiskTb * 1_000)),
    row('backups', ({ backupGb }) => size(backupGb)),
    row('network from devices, peak', ({ network }) => `${count(network.devicesMbitPerSecond)} Mbit/s`),
    row(
      'replication of a cell, peak',
      unlessOneMachine(({ network }) => `${count(network.replicationMbitPerSecond)} Mbit/s`),
    ),
    row('packing of a month takes', ({ packingHours }) => `${count(packingHours)} h`),
    row(
      'a full re-evaluation of a cell takes',
      ({ reevaluationCpuHours }) => `${count(reevaluationCpuHours)} core hours`,
    ),
    price('price of a year: machines', 'machines'),
    price('price of a year: disks', 'disks'),
    price('price of a year: backups', 'backups'),
    price('price of a year: network', 'network'),
    price('**price per tank and year**', 'perTank'),
  ];
}

function renderAssumptions({ peakFactor }: Demand, prices: PriceList, shipped: ShippedSettings): string[] {
  const a = ASSUMPTIONS;
  return [
    'Assumptions:',
    '',
    `- The peak is ${peakFactor} times the average. Every device connects with TLS for each reading, and stays connected for ${a.connectionSeconds} s.`,
    `- ${a.eventsPerTankAndYear} events per tank and year, each with a delivery and a mail, kept for ${a.eventYears} years; ${a.readsPerTankAndDay} API requests per tank and day, which read ${a.diskPagesPerRead} pages from the disk.`,
    `- Readings are hot for up to ${a.hotDays} days and then packed. The stream keeps ${a.streamDays} days.`,
    `- At the peak, ${a.usedShare * 100} % of the CPU is used, and ${a.usedShare * 100} % of the disk. deploy/postgresql.conf keeps ${count(shipped.walReserveBytes / 1e9)} GB of WAL, and allows ${shipped.maxConnections} connections.`,
    `- Service machines have up to ${a.maxCoresPerServiceMachine} cores and run gateways, writers, apis, workers and nats-server: three or more per cell. A process has ${a.processMemoryGb} GB.`,
    `- A cell has ${a.databaseCopies} database servers (the primary and two replicas) and ${a.streamCopies} nats-servers, and at most ${count(a.largestCellTanks)} tanks.`,
    `- Backups: ${a.fullBackups} full ones and the WAL of ${a.backupWalDays} days, not compressed.`,
    `- Prices in ${prices.currency} for a month: core ${prices.core}, GB of memory ${prices.memory_gb}, GB of disk ${prices.disk_gb}, each IOPS of a disk above ${count(prices.included_disk_iops)}: ${prices.disk_iops}, GB of backup ${prices.backup_gb}, GB sent ${prices.sent_gb}; of a report, ${a.sentShare * 100} % of the bytes are sent. They are examples, not those of a provider: use your own with \`--prices FILE\`. People and support are not in it.`,
  ];
}

const amountOf = (organizations: number): string =>
  organizations === 1 ? 'one organization' : `${count(organizations)} organizations`;

const machine = ({ cores, memoryGb }: MachineSize): string => `${count(cores)} cores, ${count(memoryGb)} GB`;

/** Three significant digits, with commas. */
const count = (value: number): string =>
  Number(value.toPrecision(3)).toLocaleString('en-US', { maximumFractionDigits: value < 1 ? 4 : value < 10 ? 2 : 0 });

const size = (gb: number): string => (gb >= 1_000 ? `${count(gb / 1_000)} TB` : `${count(gb)} GB`);
