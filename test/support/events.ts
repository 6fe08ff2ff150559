import { type ChildProcess, spawn } from 'node:child_process';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { programEnvironment } from '../../engines/process.ts';
import { type Receiver, startReceiver } from '../../engines/webhook_receiver.ts';
import type { CatalogRef } from '../../src/catalog/upsert_rows.ts';
import { transaction } from '../../src/db/pool.ts';
import type { BatteryEvent, NewEvent } from '../../src/evaluation/pure/alerts/event_types.ts';
import { recordEvents } from '../../src/evaluation/record_events.ts';
import { type Environment } from '../../src/settings/setting_reader.ts';
import { readWorkerConfig } from '../../src/settings/worker_settings.ts';
import { type IssuedSecret } from '../../src/webhooks/endpoint_secrets.ts';
import { createEndpoint, type NewEndpoint } from '../../src/webhooks/endpoints.ts';
import { existingWebhook } from '../../src/webhooks/webhook_changes.ts';
import { type RunningWorker, serveWorker } from '../../src/worker/serve.ts';
import { MAIN } from './cli.ts';
import { givenCustomer, givenOrganization, givenTank } from './fleet.ts';
import { type TestDatabase, untilTestEnds } from './test.ts';

export interface Tanked {
  organizationNo: number;
  customer: CatalogRef;
  tank: CatalogRef;
}

/** An organization with one customer and one tank. */
export async function givenTanked(database: TestDatabase, customer = {}, tank = {}): Promise<Tanked> {
  const organizationNo = await givenOrganization(database.operator);
  const owner = await givenCustomer(database.operator, organizationNo, customer);
  return { organizationNo, customer: owner, tank: await givenTank(database.operator, organizationNo, owner.no, tank) };
}

let minute = 0;

/** A low-fill event of the tank, one minute after the previous one. */
export function lowFillOf({ organizationNo, tank }: Tanked, more: Partial<NewEvent> = {}): NewEvent {
  const occurredAt = new Date(Date.UTC(2026, 2, 1) + minute++ * 60_000).toISOString();
  return {
    organizationNo,
    tankNo: tank.no,
    type: 'tank.low_fill',
    occurredAt,
    data: { fill_percentage: 19.5, threshold_percentage: 20 },
    readings: [{ created_at: occurredAt, fill_percentage: 19.5 }],
    notify: true,
    ...more,
  } as NewEvent;
}

export const lossOf = (fleet: Tanked): NewEvent =>
  lowFillOf(fleet, {
    type: 'tank.rapid_loss',
    data: { from_percentage: 64, to_percentage: 34, hours: 9, lost_volume: 150, volume_unit: 'liters' },
    readings: [
      { created_at: '2026-03-01T00:00:00.000Z', fill_percentage: 64 },
      { created_at: '2026-03-01T09:00:00.000Z', fill_percentage: 34 },
    ],
  });

/** Records events as the writer does, and returns their ids in order. */
export async function record(database: TestDatabase, ...events: (NewEvent | BatteryEvent)[]): Promise<string[]> {
  await transaction(database.writer, (tx) => recordEvents(tx, events));
  const { rows } = await database.owner.query<{ id: string }>(
    'select id from events where tank_no = any ($1) and occurred_at = any ($2) order by no',
    [events.map((event) => event.tankNo), events.map((event) => event.occurredAt)],
  );
  return rows.map((row) => row.id);
}

export interface Subscribed extends IssuedSecret {
  no: number;
  receiver: Receiver;
}

/** Starts a receiver that is closed after the test, and creates an endpoint of the organization for it. */
export async function givenEndpoint(
  database: TestDatabase,
  organizationNo: number,
  answer?: Receiver['answer'],
  endpoint: Partial<NewEndpoint> = {},
): Promise<Subscribed> {
  const receiver = await untilTestEnds(startReceiver(answer));
  return transaction(database.operator, async (tx) => {
    const issued = await createEndpoint(tx, organizationNo, { url: receiver.url, types: [], ...endpoint }, SECRETS_KEY);
    const { no } = await existingWebhook(tx, organizationNo, issued.id);
    return { ...issued, no, receiver };
  });
}

export const SECRETS_KEY = 'a key of at least thirty-two characters';

export const workerEnvironment = (database: TestDatabase, more: Environment = {}): Record<string, string> => ({
  WORKER_DATABASE_URL: database.urls.worker,
  SECRETS_KEY,
  WEBHOOK_ALLOW_HTTP: 'true',
  WEBHOOK_ALLOW_PRIVATE: 'true',
  ...(more as Record<string, string>),
});

/** Starts the worker role in this process until the test ends. */
export async function givenWorker(
  database: TestDatabase,
  more: Environment = {},
): Promise<Pick<RunningWorker, 'close'>> {
  const config = readWorkerConfig(workerEnvironment(database, more));
  const worker = await serveWorker(config, pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' }));
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (!isClosed) await worker.close();
    isClosed = true;
  };
  onTestFinished(close);
  return { close };
}

/** Starts the worker role in a separate process that a test can kill. */
export function spawnWorker(
  database: TestDatabase,
  more: Environment = {},
  log: 'inherit' | 'pipe' = 'inherit',
): ChildProcess {
  const child = spawn(process.execPath, [MAIN, 'worker'], {
    env: { ...programEnvironment(), LOG_LEVEL: 'warn', ...workerEnvironment(database, more) },
    stdio: ['ignore', log, 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}
