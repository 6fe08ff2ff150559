import { type ConsumerInfo, type JetStreamManager, jetstreamManager, type StreamInfo } from '@nats-io/jetstream';
import { connectToServer } from './connection.ts';
import { consumerInfo, isMissing } from './consumer.ts';
import { withDeadline } from './deadline.ts';

const REQUEST_TIMEOUT_MS = 4_000;

/** Reads what nats-server knows about the stream and its consumer. It changes nothing. */
export interface StreamInspection {
  /** The version of nats-server. */
  version: string;
  /** Undefined if there is no such stream. */
  streamInfo(): Promise<StreamInfo | undefined>;
  /** Undefined before the first writer has started. */
  consumerInfo(): Promise<ConsumerInfo | undefined>;
  /** When a message was stored. Undefined if the stream has no message with this sequence. */
  storedAtMs(sequence: number): Promise<number | undefined>;
  close(): Promise<void>;
}

/** Throws StreamUnavailable if nats-server cannot be reached, refuses the login or is too old. */
export async function inspectStream({ url, name }: { url: string; name: string }): Promise<StreamInspection> {
  const connection = await connectToServer(url, { clientName: 'tankwatch operator', waitForServer: false });
  const manager: JetStreamManager = await jetstreamManager(connection, {
    checkAPI: false,
    timeout: REQUEST_TIMEOUT_MS,
  });
  const orUndefined = async <T>(request: Promise<T>): Promise<T | undefined> => {
    try {
      return await withDeadline(request, 2 * REQUEST_TIMEOUT_MS, 'reading the stream');
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  };
  return {
    version: connection.info?.version ?? 'unknown',
    streamInfo: () => orUndefined(manager.streams.info(name)),
    consumerInfo: () => orUndefined(consumerInfo(manager, name)),
    async storedAtMs(sequence) {
      return (await orUndefined(manager.streams.getMessage(name, { seq: sequence })))?.time.getTime();
    },
    close: () => connection.close(),
  };
}
