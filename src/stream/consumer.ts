import {
  AckPolicy,
  type ConsumerConfig,
  type ConsumerInfo,
  DeliverPolicy,
  JetStreamApiError,
  type JetStreamManager,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';

/** Where all writers together stand in the stream: what they were given, and what of it they have committed. */
export const CONSUMER = 'writer';
/** How long a writer may be silent about a message before another gets it: the price of a writer's death. */
export const ACK_WAIT_MS = 5_000;

/** Undefined where no writer has been yet. */
export async function consumerInfo(manager: JetStreamManager, stream: string): Promise<ConsumerInfo | undefined> {
  try {
    return await manager.consumers.info(stream, CONSUMER);
  } catch (error) {
    if (isMissing(error) && error.code === CONSUMER_MISSING) return undefined;
    throw error;
  }
}

/** One that is there stays as it is: a replay may have said where it begins. */
export async function ensureConsumer(manager: JetStreamManager, stream: string): Promise<void> {
  if (await consumerInfo(manager, stream)) return;
  await addConsumer(manager, stream, { deliver_policy: DeliverPolicy.All });
}

/** Gives writers everything that was stored since then, as if they had never seen it. */
export async function restartConsumer(manager: JetStreamManager, stream: string, atMs: number): Promise<void> {
  const start = { deliver_policy: DeliverPolicy.StartTime, opt_start_time: new Date(atMs).toISOString() };
  for (let attempts = 1; ; attempts++) {
    try {
      if (await consumerInfo(manager, stream)) await manager.consumers.delete(stream, CONSUMER);
      await addConsumer(manager, stream, start);
      return;
    } catch (error) {
      // A writer that misses its consumer makes one as quickly as we do.
      if (!(error instanceof JetStreamApiError) || attempts === 20) throw error;
    }
  }
}

async function addConsumer(
  manager: JetStreamManager,
  stream: string,
  start: Pick<ConsumerConfig, 'deliver_policy' | 'opt_start_time'>,
): Promise<void> {
  await manager.consumers.add(stream, {
    durable_name: CONSUMER,
    ...start,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ACK_WAIT_MS),
    max_deliver: -1, // after any other number a message would silently never come back
    max_ack_pending: 10_000,
  });
}

/** The error codes of nats-server for a consumer and for a stream that is not there. */
const [CONSUMER_MISSING, STREAM_MISSING] = [10014, 10059];

export const isMissing = (error: unknown): error is JetStreamApiError =>
  error instanceof JetStreamApiError && (error.code === CONSUMER_MISSING || error.code === STREAM_MISSING);
