import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { EventLoopWatch } from '../../src/health/event_loop_watch.ts';

test('the longest delay of the event loop is seen by everybody who asks', async () => {
  const watch = new EventLoopWatch();
  onTestFinished(() => watch.stop());
  await sleep(50);
  for (const endMs = performance.now() + 1_500; performance.now() < endMs; );
  await sleep(50);
  for (const _ of ['one Prometheus', 'another']) expect(watch.longestSeconds).toBeGreaterThan(1.4);
});
