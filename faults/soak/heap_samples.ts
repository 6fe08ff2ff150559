/**
 * Is loaded into a role with `--import`. At intervals it collects garbage, and writes the memory that is still in use to the file
 * HEAP_SAMPLES_FILE. Leaked memory remains after a collection; resident memory also depends on when the collector runs.
 */
import { appendFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const file = process.env['HEAP_SAMPLES_FILE'];
if (file !== undefined) {
  setFlagsFromString('--expose-gc');
  const collectGarbage: unknown = runInNewContext('gc');
  setInterval(() => {
    if (typeof collectGarbage === 'function') collectGarbage();
    const { heapUsed, external, rss } = process.memoryUsage();
    appendFileSync(file, `${JSON.stringify({ atMs: performance.now(), usedBytes: heapUsed + external, rss })}\n`);
  }, Number(process.env['HEAP_SAMPLES_INTERVAL_MS'])).unref();
}
