import { setTimeout as sleep } from 'node:timers/promises';

/** Calls `find` every 200 ms until it returns neither undefined nor false. The error after the timeout is "waited 120 s until" and `what`. */
export async function until<T>(
  what: string,
  find: () => Promise<T | false | undefined>,
  timeoutMs = 120_000,
): Promise<T> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const found = await find();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadlineMs) throw new Error(`waited ${timeoutMs / 1_000} s until ${what}`);
    await sleep(200);
  }
}
