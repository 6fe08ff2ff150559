import { type ConsumerInfo, type JetStreamManager, jetstreamManager, type StreamInfo } from '@nats-io/jetstream';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { connectToServer } from './connection.ts';
import { consumerInfo, isMissing } from './consumer.ts';
import { withDeadline } from './deadline.ts';
import type { NatsAddress } from './server_errors.ts';

/** The response of nats-server about the login of a connection. `$G` is the account of users without an account of their own. */
const UserInfo = Type.Object({
  data: Type.Object({ account: Type.String(), permissions: Type.Optional(Type.Object({})) }),
});

const REQUEST_TIMEOUT_MS = 4_000;

/** Reads the state of the stream and its consumer from nats-server, and changes nothing. */
export interface StreamInspection {
  /** The version of nats-server. */
  version: string;
  /** Undefined if there is no such stream. */
  streamInfo(): Promise<StreamInfo | undefined>;
  /** Undefined before the first writer has started. */
  consumerInfo(): Promise<ConsumerInfo | undefined>;
  /** Returns true if nats-server limits this login only by permissions on subjects, which reply subjects bypass. */
  hasSharedAccount(): Promise<boolean>;
  /** Returns the time when a message was stored; undefined if the stream has no message with this sequence. */
  storedAtMs(sequence: number): Promise<number | undefined>;
  close(): Promise<void>;
}

/** Throws StreamUnavailableError if nats-server cannot be reached, refuses the login or is too old. */
export async function inspectStream({ name, ...address }: NatsAddress & { name: string }): Promise<StreamInspection> {
  const connection = await connectToServer(address, 'tankwatch operator');
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
    async hasSharedAccount() {
      try {
        const answer = await connection.request('$SYS.REQ.USER.INFO', '', { timeout: REQUEST_TIMEOUT_MS });
        const info: unknown = answer.json();
        return Value.Check(UserInfo, info) && info.data.account === '$G' && info.data.permissions !== undefined;
      } catch (error) {
        // The users of 0.2.0's nats.conf may not even send this request.
        return error instanceof Error && /permissions violation/i.test(error.message);
      }
    },
    async storedAtMs(sequence) {
      return (await orUndefined(manager.streams.getMessage(name, { seq: sequence })))?.time.getTime();
    },
    close: () => connection.close(),
  };
}
