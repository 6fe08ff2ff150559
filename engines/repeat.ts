import { setTimeout as sleep } from 'node:timers/promises';

export interface Repeated {
  /** Waits until the last work has ended. */
  stop(): Promise<void>;
}

/** Repeats work, with a pause after each time, until it is stopped. */
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
