import { jetstreamManager } from '@nats-io/jetstream';
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

export type StreamInspection = Awaited<ReturnType<typeof inspectStream>>;

/**
 * Reads the state of the stream and its consumer from nats-server, and changes nothing. Throws StreamUnavailableError if
 * nats-server cannot be reached or refuses the login, and UserError if it is too old.
 */
export async function inspectStream({ name, ...address }: NatsAddress & { name: string }) {
  const connection = await connectToServer(address, 'tankwatch operator');
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: REQUEST_TIMEOUT_MS });
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
    /** Undefined if there is no such stream. */
    streamInfo: () => orUndefined(manager.streams.info(name)),
    /** Undefined before the first writer has started. */
    consumerInfo: () => orUndefined(consumerInfo(manager, name)),
    /** Returns true if nats-server limits this login only by permissions on subjects, which reply subjects bypass. */
    async hasSharedAccount(): Promise<boolean> {
      try {
        const answer = await connection.request('$SYS.REQ.USER.INFO', '', { timeout: REQUEST_TIMEOUT_MS });
        const info: unknown = answer.json();
        return Value.Check(UserInfo, info) && info.data.account === '$G' && info.data.permissions !== undefined;
      } catch (error) {
        // The users of 0.2.0's nats.conf may not even send this request.
        return error instanceof Error && /permissions violation/i.test(error.message);
      }
    },
    /** Returns the time when a message was stored; undefined if the stream has no message with this sequence. */
    async storedAtMs(sequence: number): Promise<number | undefined> {
      return (await orUndefined(manager.streams.getMessage(name, { seq: sequence })))?.time.getTime();
    },
    close: () => connection.close(),
  };
}
