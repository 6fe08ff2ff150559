import { errorCode } from './error_code.ts';
import type { Explanation } from './explanation.ts';

/** A server that this process connects to. */
export interface ServerAddress {
  /** The program, such as PostgreSQL. */
  program: string;
  /** The address, such as 127.0.0.1:5432, or the folder of a socket. */
  place: string;
  /** The setting that holds the address. */
  setting: string;
}

/** Explains why a server cannot be reached. Returns undefined for errors with another meaning. */
export function explainUnreachable(
  error: unknown,
  { program, place, setting }: ServerAddress,
): Explanation | undefined {
  const code = errorCode(error) ?? '';
  // The cause does not contain the setting, because the same server in the settings of several roles is one problem.
  const explain = (sentence: string): Explanation => ({ sentence, cause: `${program} ${place} ${code}` });
  switch (code) {
    case 'ECONNREFUSED':
    case 'ENOENT': // a socket in the file system
      return explain(
        `nothing listens at ${place}, where ${program} should be (${code}); start ${program}, or correct host and port in ${setting}`,
      );
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return explain(`the host name of ${program} at ${place} is not known (${code}); correct it in ${setting}`);
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
      return explain(
        `${program} at ${place} cannot be reached (${code}); check the network, and host and port in ${setting}`,
      );
    case 'ECONNRESET':
    case 'EPIPE':
      return explain(
        `the server at ${place} closes the connection (${code}); check that it is ${program}, and host and port in ${setting}`,
      );
    default:
      break;
  }
  if (/^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT|UNABLE_TO_|ERR_TLS_|CERT_)/.test(code)) {
    return explain(
      `the certificate of ${program} at ${place} is not accepted (${code}); correct the host in ${setting}, or name the file of its authority in NODE_EXTRA_CA_CERTS`,
    );
  }
  return undefined;
}
