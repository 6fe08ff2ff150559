import { workerConnections } from '../../src/worker/connections.ts';
import type { Constants } from './constants.ts';

/** What one cell has to do in its busiest minute. */
export interface Load {
  readingsPerSecond: number;
  requestsPerSecond: number;
  /** With cells, the routers terminate TLS. Otherwise the gateways do. */
  hasRouter: boolean;
}

/** Defaults of the gather window of a gateway and of WRITER_LANES. */
const GATHER_SECONDS = 0.02;
const LANES = 2;
/** Two processes of each role, so that one may fail. A process of Node uses one core. */
const MIN_PROCESSES = 2;
const WORKERS = 2;
/** The default of GATEWAY_MAX_CONNECTIONS. */
export const DEVICES_PER_GATEWAY = 20_000;
/** The most database connections that a process opens with default settings. `tankwatch all` opens the sum. */
export const CONNECTIONS = { api: 15, gateway: 2, writer: 9, worker: workerConnections(4), connector: 5 } as const;

export interface CellWork {
  processes: { gateway: number; writer: number; api: number; worker: number };
  /** Messages to the stream. A gateway puts into a message what arrives within 20 ms. */
  messagesPerSecond: number;
  /** Transactions of writers. Each lane stores its share of a message in one, unless it is behind. */
  transactionsPerSecond: number;
  /** Cores that are busy. */
  cores: { gateway: number; writer: number; api: number; database: number };
}

/** Computes the work of a cell. `usedShare` is how busy a process may be. */
export function workOf(load: Load, constants: Constants, usedShare: number): CellWork {
  const seconds = (microseconds: keyof Constants): number => constants[microseconds].value / 1e6;
  const { readingsPerSecond: readings, requestsPerSecond: requests } = load;
  const processes = (cores: number): number => Math.max(MIN_PROCESSES, Math.ceil(cores / usedShare));
  const gateway = readings * seconds(load.hasRouter ? 'gateway_plain_report_us' : 'gateway_tls_report_us');
  const gateways = processes(gateway);
  const perGateway = readings / gateways;
  // The window opens with the first reading of a message, so even a quiet gateway sends at most one message per reading.
  const readingsPerMessage = 1 + perGateway * GATHER_SECONDS;
  const messagesPerSecond = readings / readingsPerMessage;
  const transactionsPerSecond = messagesPerSecond * Math.min(LANES, readingsPerMessage);
  // These requests were measured on two cores, together with the database. Half of the time is attributed to each.
  const requestCores = requests / (constants.pages_of_readings_per_second.value / 2);
  const api = requestCores / 2;
  const writer = readings * seconds('writer_reading_us') + transactionsPerSecond * seconds('writer_transaction_us');
  const database =
    readings * seconds('database_reading_us') +
    transactionsPerSecond * seconds('database_transaction_us') +
    requestCores / 2;
  return {
    processes: { gateway: gateways, writer: processes(writer), api: processes(api), worker: WORKERS },
    messagesPerSecond,
    transactionsPerSecond,
    cores: { gateway, writer, api, database },
  };
}

/** Connections to the primary if every process uses all that it may. Connectors are not counted. */
export const connectionsOf = ({ gateway, writer, api, worker }: CellWork['processes']): number =>
  gateway * CONNECTIONS.gateway + writer * CONNECTIONS.writer + api * CONNECTIONS.api + worker * CONNECTIONS.worker;

/**
 * The WAL of a reading, interpolated on a logarithmic scale between the measured cadences; beyond them, that of the nearest
 * one. The first change of a page after a checkpoint writes the whole page, which fewer readings share if tanks report seldom.
 */
export function walBytesOfReading(readingsPerDay: number, constants: Constants): number {
  const points = [
    [1, constants.wal_bytes_1_a_day.value],
    [4, constants.wal_bytes_4_a_day.value],
    [24, constants.wal_bytes_24_a_day.value],
  ] as const;
  const perDay = Math.min(24, Math.max(1, readingsPerDay));
  const [from, to] = perDay <= 4 ? [points[0], points[1]] : [points[1], points[2]];
  const share = Math.log(perDay / from[0]) / Math.log(to[0] / from[0]);
  return from[1] + share * (to[1] - from[1]);
}
