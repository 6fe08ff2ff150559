import { StreamUnavailableError } from './unavailable.ts';

/**
 * Rejects if there is no result in time. The client library has limits of its own; this one also holds when a request
 * is lost with the connection it was made on.
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
