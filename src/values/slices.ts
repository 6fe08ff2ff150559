import { setImmediate, setTimeout } from 'node:timers/promises';

/** Work that would block the thread for too long. It yields where it can pause, and returns its result. */
export type Sliced<Result> = Generator<undefined, Result, undefined>;

/** The longest time that a request waits for the thread, if the work yields at least every millisecond. */
const SLICE_MS = 8;

/** Other work uses the thread if a turn of the event loop takes longer than this. */
const BUSY_MS = 0.3;
/**
 * While other work uses the thread, it gets two thirds of it. One turn between two slices is not enough: a request
 * needs some twenty turns, and 40 requests a second took 830 ms each beside the proposals of one dispatcher.
 */
const PAUSE_MS = 2 * SLICE_MS;

let latestPause: Promise<unknown> = Promise.resolve();

/** All sliced work of a process pauses in one queue, so that ten pieces of work do not block ten times as long. */
function pause(): Promise<unknown> {
  latestPause = latestPause.then(letOthersWork);
  return latestPause;
}

async function letOthersWork(): Promise<void> {
  const beganMs = performance.now();
  await setImmediate();
  if (performance.now() - beganMs > BUSY_MS) await setTimeout(PAUSE_MS);
}

/** Runs the work in slices. The event loop does other work between two slices. */
export async function inSlices<Result>(work: Sliced<Result>): Promise<Result> {
  for (;;) {
    await pause();
    for (const endMs = performance.now() + SLICE_MS; performance.now() < endMs; ) {
      const step = work.next();
      if (step.done === true) return step.value;
    }
  }
}

/** Pauses for work that is asynchronous anyway, such as reading a file: each call waits if a slice is over. */
export function slicePauses(): () => Promise<unknown> {
  let endMs = performance.now() + SLICE_MS;
  return async () => {
    if (performance.now() < endMs) return;
    await pause();
    endMs = performance.now() + SLICE_MS;
  };
}

/** Runs the work without pauses: for short work, and for programs that serve no requests. */
export function atOnce<Result>(work: Sliced<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
