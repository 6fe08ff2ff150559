import { setImmediate, setTimeout } from 'node:timers/promises';

/** Work that would block the thread for too long. The generator yields where it can pause, and returns the result. */
export type Sliced<Result> = Generator<undefined, Result, undefined>;

/** The longest time that a request waits for the thread, if the work yields at least every millisecond. */
const SLICE_MS = 8;

/** If a turn of the event loop takes longer than this, other work uses the thread. */
const BUSY_MS = 0.3;
/**
 * The pause that leaves two thirds of the thread to other work while there is any. One turn of the event loop between two slices is not
 * enough: a request needs some twenty turns, and 40 requests a second took 830 ms each beside the proposals of one dispatcher.
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
    const endMs = performance.now() + SLICE_MS;
    while (performance.now() < endMs) {
      const step = work.next();
      if (step.done === true) return step.value;
    }
  }
}

/** Returns a function for asynchronous work, such as reading a file. Each call of it pauses if a slice is over. */
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
