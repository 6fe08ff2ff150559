import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again until there is an answer. `what` completes the sentence of the error. */
export async function until<T>(what: string, find: () => Promise<T | undefined>, timeoutMs = 120_000): Promise<T> {
  for (const deadlineMs = performance.now() + timeoutMs; ; ) {
    const found = await find();
    if (found !== undefined) return found;
    if (performance.now() > deadlineMs) throw new Error(`waited ${timeoutMs / 1_000} s until ${what}`);
    await sleep(200);
  }
}
