import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import { type Explanation, explainError } from '../values/explanation.ts';
import { explainUnreachable } from '../values/unreachable.ts';
import { StreamUnavailableError } from './unavailable.ts';

/** The address of nats-server, and the setting that holds it, for messages. */
export interface NatsAddress {
  /** nats://user:password@host:port; several are separated by commas. */
  url: string;
  setting?: string | undefined;
}

/** Returns the error for a connection that failed. It says why, at which address, and what to do. */
export function explainConnectError(cause: unknown, address: NatsAddress): StreamUnavailableError {
  const explanation = describeConnectError(cause, address);
  return explainError(new StreamUnavailableError(explanation.sentence, { cause }), explanation);
}

function describeConnectError(error: unknown, { url, setting = 'NATS_URL' }: NatsAddress): Explanation {
  const { place, user } = placeOf(url);
  const cause = error instanceof errors.ConnectionError && error.cause !== undefined ? error.cause : error;
  const unreachable = explainUnreachable(cause, { program: 'nats-server', place, setting });
  if (unreachable !== undefined) return unreachable;
  const explain = (sentence: string): Explanation => ({ sentence, cause: sentence });
  if (error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError) {
    return explain(
      user === ''
        ? `nats-server at ${place} asks for a login, and ${setting} has none; write it as nats://user:password@host:port`
        : `nats-server at ${place} refused the login of the user ${user}; correct user and password in ${setting}`,
    );
  }
  const reason = error instanceof Error && error.message !== '' ? error.message : 'no answer';
  return explain(
    `the server at ${place} does not answer as nats-server does (${reason}); check that nats-server runs there, and host and port in ${setting}`,
  );
}

/** Error codes of nats-server for a stream that does not fit, or that has too few servers. */
const NO_STORAGE = new Set([10023, 10047, 10028]);
const TOO_FEW_SERVERS = new Set([10005, 10074]);

/**
 * Adds an explanation to the error if the stream cannot be created. Temporary errors get no explanation, for example while a
 * cluster elects its leader.
 */
export function explainDeclareError(error: unknown, address: NatsAddress): unknown {
  const sentence = describeDeclareError(error, address);
  return explainError(error, sentence === undefined ? undefined : { sentence, cause: sentence });
}

function describeDeclareError(error: unknown, { url, setting = 'NATS_URL' }: NatsAddress): string | undefined {
  const { place } = placeOf(url);
  const server = `nats-server at ${place}`;
  // The library does not export this class. Without JetStream, the request has no responders.
  const hasNoJetStream = error instanceof Error && error.name === 'JetStreamNotEnabled';
  if (hasNoJetStream || (error instanceof errors.RequestError && error.isNoResponders()))
    return `${server} has no JetStream; add a jetstream block to its configuration, as in deploy/nats.conf, and restart it`;
  if (error instanceof errors.PermissionViolationError)
    return `${server} does not allow the user in ${setting} to use the stream (${error.message}); use the accounts of deploy/nats.conf`;
  if (!(error instanceof JetStreamApiError)) return undefined;
  if (NO_STORAGE.has(error.code))
    return `${server} has no room for the stream (${error.message}); raise max_file_store in its configuration, or lower STREAM_MAX_MIB`;
  if (TOO_FEW_SERVERS.has(error.code))
    return `${server} has too few servers for the stream (${error.message}); correct NATS_REPLICAS, or start the others`;
  return undefined;
}

function placeOf(url: string): { place: string; user: string } {
  const servers = url.split(',').map((server) => URL.parse(server.trim()));
  const place = servers.map((server) => `${server?.hostname ?? ''}:${server?.port || '4222'}`).join(' or ');
  return { place, user: decodeURIComponent(servers[0]?.username ?? '') };
}
