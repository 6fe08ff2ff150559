import { errorCode } from '../values/error_code.ts';
import { type Explanation, explainError } from '../values/explanation.ts';
import { explainUnreachable } from '../values/unreachable.ts';

/** The address of a database, and the setting that holds it, for messages. */
export interface DatabaseAddress {
  url: string;
  setting?: string | undefined;
  /** The name of the connection, such as `tankwatch api`. It names the role whose rights the login needs. */
  applicationName: string;
}

/** Adds an explanation to an error of the driver, and returns the error. */
export const explained = <T>(error: T, address: DatabaseAddress): T =>
  explainError(error, explainDatabaseError(error, address));

/** Explains an error of the driver. Returns undefined if the installation does not cause the error. */
export function explainDatabaseError(error: unknown, address: DatabaseAddress): Explanation | undefined {
  if (!(error instanceof Error)) return undefined;
  const { setting = 'DATABASE_URL', applicationName } = address;
  const { place, name } = placeOf(address.url);
  const server = `PostgreSQL at ${place}`;
  const { message } = error;
  const explain = (sentence: string): Explanation => ({ sentence, cause: sentence });
  switch (errorCode(error) ?? '') {
    case '28P01':
    case '28000':
      return explain(
        `${server} refused the login (${message}); correct user and password in ${setting}, or allow the login in pg_hba.conf`,
      );
    case '3D000':
      return explain(
        `${server} has no such database (${message}); create it, or correct the name at the end of ${setting}`,
      );
    case '42P01':
    case '42703':
    case '42883':
    case '3F000':
      // The cause does not contain the message, because each statement names a different missing table and would be logged separately.
      return { sentence: notMigrated(address, message), cause: `${name} at ${place} is not migrated` };
    case '42501': {
      const [, program = 'operator'] =
        /^tankwatch (api|gateway|writer|worker|manager|connector)/.exec(applicationName) ?? [];
      const role = program === 'connector' ? 'worker' : program; // the connector has the login of the worker
      const remedy =
        applicationName === 'tankwatch migrate'
          ? `set ${setting} to the login that owns the tables`
          : `as the owner: grant tankwatch_${role} to the login, as in deploy/logins.sql`;
      return {
        sentence: `the login in ${setting} lacks rights in the database ${name} at ${place} (${message}); ${remedy}`,
        cause: `${setting} lacks rights`,
      };
    }
    case '25006':
      return explain(`${server} is read-only (${message}); correct ${setting}: it must name the primary`);
    case '53300':
      return explain(
        `${server} has no free connection (${message}); stop programs that use them, or raise max_connections and restart it`,
      );
    case '57P01':
    case '57P02':
    case '57P03':
      return { sentence: `${server} is starting or stopping (${message}); wait, or start it`, cause: `${place} 57P` };
    default:
      break;
  }
  if (/client password must be a (non-empty )?string/.test(message))
    return explain(
      `${server} asks for a password, and ${setting} has none; write it as postgres://user:password@host:port/database`,
    );
  if (/^(timeout expired|Connection terminated due to connection timeout)$/.test(message))
    return explain(
      `${server} did not answer within 5 s; check that PostgreSQL listens there, the network, and host and port in ${setting}`,
    );
  if (message === 'The server does not support SSL connections')
    return explain(`${server} has no TLS; enable it there, or remove sslmode from ${setting}`);
  if (message.startsWith('Connection terminated'))
    return explain(
      `${server} closed the connection; check that it runs, and that host and port in ${setting} are its address`,
    );
  return explainUnreachable(error, { program: 'PostgreSQL', place, setting });
}

/** The sentence for a database whose schema is older than this release. */
export function notMigrated(
  { url, setting = 'DATABASE_URL' }: Omit<DatabaseAddress, 'applicationName'>,
  detail: string,
) {
  const { place, name } = placeOf(url);
  return `the database ${name} at ${place}, from ${setting}, is not migrated to this release (${detail}); run: tankwatch migrate`;
}

/** Host, port and database of an address. A host that begins with / is the folder of a socket. */
function placeOf(url: string): { place: string; name: string } {
  const parsed = URL.parse(url);
  const host = decodeURIComponent(parsed?.searchParams.get('host') ?? parsed?.hostname ?? '') || 'localhost';
  const port = parsed?.port || parsed?.searchParams.get('port') || '5432';
  const name = decodeURIComponent(parsed?.pathname.slice(1) ?? '') || 'postgres';
  return { place: host.startsWith('/') ? `${host}/.s.PGSQL.${port}` : `${host}:${port}`, name };
}
