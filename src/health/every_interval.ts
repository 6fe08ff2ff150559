import type { Outage } from './outage.ts';

/** Runs the work at an interval, never twice at a time, and reports when it begins to fail and when it works again. */
export function everyInterval(intervalMs: number, outage: Outage, work: () => Promise<void>) {
  let isRunning = false;
  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    try {
      await work();
      outage.worked();
    } catch (error) {
      outage.failed(error);
    } finally {
      isRunning = false;
    }
  };
  return { run, timer: setInterval(() => void run(), intervalMs).unref() };
}
