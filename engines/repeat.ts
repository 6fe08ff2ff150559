import { setTimeout as sleep } from 'node:timers/promises';

export interface Repeated {
  /** Stops the repetition, and waits until the work in progress has ended. */
  stop(): Promise<void>;
}

/** Repeats work with a pause in between, until it is stopped. */
export function repeat(pauseMs: number, work: () => Promise<unknown>): Repeated {
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await work();
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
