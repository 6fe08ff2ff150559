import {
  AckPolicy,
  type ConsumerConfig,
  type ConsumerInfo,
  DeliverPolicy,
  JetStreamApiError,
  type JetStreamManager,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';

/** The durable consumer that all writers share. It tracks which messages were delivered and which are committed. */
export const CONSUMER = 'writer';
/** nats-server delivers a message to another writer if it was not acknowledged for this time: the delay after a writer crash. */
export const ACK_WAIT_MS = 5_000;

/** Reads the state of the consumer; undefined before the first writer has started. */
export async function consumerInfo(manager: JetStreamManager, stream: string): Promise<ConsumerInfo | undefined> {
  try {
    return await manager.consumers.info(stream, CONSUMER);
  } catch (error) {
    if (isMissing(error) && error.code === CONSUMER_MISSING) return undefined;
    throw error;
  }
}

/** Creates the consumer if there is none. An existing consumer is not changed, because a replay may have set where it begins. */
export async function ensureConsumer(manager: JetStreamManager, stream: string): Promise<void> {
  if (await consumerInfo(manager, stream)) return;
  await addConsumer(manager, stream, { deliver_policy: DeliverPolicy.All });
}

/** Where a consumer begins. */
type ConsumerStart = Pick<ConsumerConfig, 'deliver_policy' | 'opt_start_time' | 'opt_start_seq'>;

/** Delivers all messages from this time or sequence again, as if no writer had received them. */
export async function restartConsumer(
  manager: JetStreamManager,
  stream: string,
  from: { atMs: number } | { sequence: number },
): Promise<void> {
  const start: ConsumerStart =
    'atMs' in from
      ? { deliver_policy: DeliverPolicy.StartTime, opt_start_time: new Date(from.atMs).toISOString() }
      : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: from.sequence };
  for (let attempts = 1; ; attempts++) {
    try {
      if (await consumerInfo(manager, stream)) await manager.consumers.delete(stream, CONSUMER);
      await addConsumer(manager, stream, start);
      return;
    } catch (error) {
      // A running writer that misses its consumer may create one between the two calls.
      if (!(error instanceof JetStreamApiError) || attempts === 20) throw error;
    }
  }
}

async function addConsumer(manager: JetStreamManager, stream: string, start: ConsumerStart): Promise<void> {
  await manager.consumers.add(stream, {
    durable_name: CONSUMER,
    ...start,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ACK_WAIT_MS),
    max_deliver: -1, // with a limit, a message would silently never be delivered again
    max_ack_pending: 10_000,
  });
}

/** Error codes of nats-server for a missing consumer and a missing stream. */
const [CONSUMER_MISSING, STREAM_MISSING] = [10014, 10059];

export const isMissing = (error: unknown): error is JetStreamApiError =>
  error instanceof JetStreamApiError && (error.code === CONSUMER_MISSING || error.code === STREAM_MISSING);
