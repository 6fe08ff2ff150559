import { StreamUnavailableError } from './unavailable.ts';

/**
 * Rejects if there is no result in time. The client library has its own timeouts, but they do not end a request that was lost
 * with its connection.
 */
export async function withDeadline<T>(work: Promise<T>, timeoutMs: number, operation: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new StreamUnavailableError(`${operation} has no result after ${timeoutMs / 1_000} s`));
    }, timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
