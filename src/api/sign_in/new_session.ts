import { makeKey } from '../../keys/key_format.ts';
import { errorCode, UNIQUE_VIOLATION } from '../../values/error_code.ts';

const ATTEMPTS = 3;

/**
 * Calls `begin` with the prefix and the hash of a new session. A prefix has six random letters after the slot and the
 * route tag. In an organization with 100,000 sessions, one new prefix in 10,000 is taken. Then another prefix is tried.
 */
export async function newSession<T>(
  beginning: string,
  begin: (prefix: string, secretSha256: Buffer) => Promise<T>,
): Promise<{ text: string; result: T }> {
  for (let attempt = 1; ; attempt++) {
    const { text, prefix, secretSha256 } = makeKey(beginning);
    try {
      return { text, result: await begin(prefix, secretSha256) };
    } catch (error) {
      if (errorCode(error) !== UNIQUE_VIOLATION || attempt === ATTEMPTS) throw error;
    }
  }
}
