import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { EventLoopWatch } from '../../src/health/event_loop_watch.ts';

test('each scrape returns the longest delay of the event loop', async () => {
  const watch = new EventLoopWatch();
  onTestFinished(() => watch.stop());
  await sleep(50);
  const endMs = performance.now() + 1_500;
  while (performance.now() < endMs); // blocks the event loop
  await sleep(50);
  for (const _ of ['the first Prometheus', 'the second Prometheus']) expect(watch.longestSeconds).toBeGreaterThan(1.4);
});
