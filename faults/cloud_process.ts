import { appendFileSync, readFileSync } from 'node:fs';
import { startOtodata } from '../engines/clouds.ts';
import { HOUR_MS } from '../src/values/time.ts';

/**
 * A cloud with a reading of each device for every hour, until it is killed. It writes the time of each request to a file,
 * which remains after a kill. Some requests fail, and the order of readings changes at each request, so that readings move
 * between pages.
 */
const [port = '', log = '', devices = '', startMs = '', hours = '', pageSize = ''] = process.argv.slice(2);

const FAULTS = [
  { every: 23, fault: { status: 500 } },
  { every: 31, fault: { status: 429, retryAfter: '2' } },
  { every: 37, fault: { fields: true } },
] as const;

let requests = readFileSync(log, 'utf8').split('\n').length - 1;
await startOtodata({
  port: Number(port),
  pageSize: Number(pageSize),
  onRequest: (cloud) => {
    requests++;
    appendFileSync(log, `${Date.now()}\n`);
    const failing = FAULTS.find(({ every }) => requests % every === 0);
    if (failing !== undefined) cloud.faults.push(failing.fault);
  },
  readings: (fromMs, toMs) => {
    const first = Math.max(0, Math.ceil((fromMs - Number(startMs)) / HOUR_MS));
    const last = Math.min(Number(hours) - 1, Math.floor((toMs - Number(startMs)) / HOUR_MS));
    const found = Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => first + n).flatMap((hour) =>
      Array.from({ length: Number(devices) }, (_device, n) => ({
        device: String(20_000_000 + n),
        atMs: Number(startMs) + hour * HOUR_MS,
        // Falls slowly, and differs between tanks.
        level: 0.9 - ((hour * 3 + n) % 5_000) / 10_000,
      })),
    );
    const turned = (requests * 7_919) % Math.max(1, found.length);
    return [...found.slice(turned), ...found.slice(0, turned)];
  },
});
console.log('cloud started');
