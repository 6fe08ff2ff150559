import type { Constants } from './constants.ts';
import { ASSUMPTIONS, type Demand, type Stage } from './plan.ts';

/** The plan as Markdown: a table of stages, the assumptions, and every constant with its source. */
export function renderPlan(demand: Demand, stages: readonly Stage[], constants: Constants): string {
  return [
    `${count(demand.tanks)} tanks, ${demand.readingsPerDay} readings a day, kept for ${demand.years} years`,
    '',
    ...renderStages(stages),
    '',
    ...renderAssumptions(),
    '',
    '| Constant | Value | Measured with |',
    '|---|---|---|',
    ...Object.values(constants).map(
      ({ what, value, unit, source, recorded_on }) =>
        `| ${what} | ${count(value)} ${unit} | ${source}, ${recorded_on} |`,
    ),
    '',
  ].join('\n');
}

function renderStages(stages: readonly Stage[]): string[] {
  const row = (name: string, cell: (stage: Stage) => string): string =>
    `| ${name} | ${stages.map((stage) => cell(stage)).join(' | ')} |`;
  return [
    row('Tanks', ({ tanks }) => count(tanks)),
    `|---|${stages.map(() => '---|').join('')}`,
    row('stage', ({ kind }) => kind),
    row('cells', ({ cells }) => count(cells)),
    row('readings/s, average', ({ readingsPerSecond }) => count(readingsPerSecond)),
    row('readings/s, peak', ({ peakReadingsPerSecond }) => count(peakReadingsPerSecond)),
    row('database machines', ({ machines }) => count(machines.database)),
    row('service machines', ({ kind, machines }) =>
      kind === 'one machine' ? 'the same one' : count(machines.service),
    ),
    row('router machines', ({ machines }) => (machines.router === 0 ? '' : count(machines.router))),
    row('each database: cores', ({ database }) => count(database.cores)),
    row('each database: memory', ({ database }) => `${count(database.memoryGb)} GB`),
    row('each database: disk', ({ database }) => size(database.diskGb)),
    row('of it hot readings', ({ database }) => size(database.hotGb)),
    row('of it packed readings', ({ database }) => size(database.packedGb)),
    row('each service machine: memory', ({ kind, serviceMemoryGb }) =>
      kind === 'one machine' ? '' : `${count(serviceMemoryGb)} GB`,
    ),
    row('the same if all devices stay connected', ({ kind, connectedMemoryGb }) =>
      kind === 'one machine' ? '' : `${count(connectedMemoryGb)} GB`,
    ),
    row('each nats-server: disk', ({ streamGb }) => size(streamGb)),
    row('WAL of a cell per day', ({ walGbPerDay }) => size(walGbPerDay)),
    row('all disks together', ({ totalDiskTb }) => size(totalDiskTb * 1_000)),
    row('network from devices, peak', ({ network }) => `${count(network.devicesMbitPerSecond)} Mbit/s`),
    row('replication of a cell, peak', ({ network }) =>
      network.replicationMbitPerSecond === 0 ? '' : `${count(network.replicationMbitPerSecond)} Mbit/s`,
    ),
  ];
}

function renderAssumptions(): string[] {
  const a = ASSUMPTIONS;
  return [
    'Assumptions:',
    '',
    `- The peak is ${a.peakFactor} times the average. Every device connects with TLS for each reading, and stays connected for ${a.connectionSeconds} s.`,
    `- ${a.eventsPerTankAndYear} events per tank and year, kept for ${a.eventYears} years; ${a.readsPerTankAndDay} API requests per tank and day.`,
    `- Readings are hot for ${a.hotDays} days and then packed. The stream keeps ${a.streamDays} days.`,
    `- At the peak, ${a.usedShare * 100} % of the CPU is used, and ${a.usedShare * 100} % of the disk.`,
    `- Service machines have ${a.coresPerServiceMachine} cores and run gateways, writers, apis, workers and nats-server: three or more per cell.`,
    `- A cell has ${a.databaseCopies} database servers: the primary and two replicas. Backups need disk elsewhere.`,
  ];
}

/** Three significant digits, with commas. */
const count = (value: number): string =>
  Number(value.toPrecision(3)).toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 2 : 0 });

const size = (gb: number): string => (gb >= 1_000 ? `${count(gb / 1_000)} TB` : `${count(gb)} GB`);
