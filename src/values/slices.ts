import { setImmediate, setTimeout } from 'node:timers/promises';

/** Work that takes longer than others should wait. It yields where it can pause, and returns its result. */
export type Sliced<Result> = Generator<undefined, Result, undefined>;

/** A request that arrives meanwhile waits so long at most, if the work yields at least each millisecond. */
const SLICE_MS = 8;

/** A turn of the event loop in which others used the thread for longer. */
const BUSY_MS = 0.3;
/**
 * While others use the thread, they have two thirds of it. One turn between two slices is not enough: a request needs some twenty
 * turns, and 40 requests a second took 830 ms each beside the proposals of one dispatcher.
 */
const PAUSE_MS = 2 * SLICE_MS;

let latestPause: Promise<unknown> = Promise.resolve();

/** All work of a process pauses in a row: ten works at once do not block ten times as long. */
function pause(): Promise<unknown> {
  latestPause = latestPause.then(letOthersWork);
  return latestPause;
}

async function letOthersWork(): Promise<void> {
  const beganMs = performance.now();
  await setImmediate();
  if (performance.now() - beganMs > BUSY_MS) await setTimeout(PAUSE_MS);
}

/** Does the work in slices. Between two of them, the event loop serves others. */
export async function inSlices<Result>(work: Sliced<Result>): Promise<Result> {
  for (;;) {
    await pause();
    for (const endMs = performance.now() + SLICE_MS; performance.now() < endMs; ) {
      const step = work.next();
      if (step.done === true) return step.value;
    }
  }
}

/** Does the work without a pause: for programs that serve nobody. */
export function atOnce<Result>(work: Sliced<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
