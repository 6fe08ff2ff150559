import { setImmediate } from 'node:timers/promises';

/** Work that takes longer than others should wait. It yields where it can pause, and returns its result. */
export type Sliced<Result> = Generator<undefined, Result, undefined>;

/** A request that arrives meanwhile waits so long at most, if the work yields at least each millisecond. */
const SLICE_MS = 8;

let latestTurn: Promise<unknown> = Promise.resolve();

/** The next turn of the event loop that no other work has: ten works at once do not block ten times as long. */
function nextTurn(): Promise<unknown> {
  latestTurn = latestTurn.then(() => setImmediate());
  return latestTurn;
}

/** Does the work in slices. Between two of them, the event loop serves others. */
export async function inSlices<Result>(work: Sliced<Result>): Promise<Result> {
  for (;;) {
    await nextTurn();
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
