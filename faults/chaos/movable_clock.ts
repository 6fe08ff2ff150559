/**
 * Loaded into a role with `--import`: its wall clock jumps when it receives SIGUSR2, by the milliseconds that the file
 * named in CLOCK_OFFSET_FILE holds. A step of the system clock changes only what Date returns; timers and
 * performance.now() use the monotonic clock. So replacing Date has the effect of a real step, and it needs neither the
 * privilege to set the machine's clock nor libfaketime, which also moves the monotonic clock unless told otherwise.
 */
import { readFileSync } from 'node:fs';

const file = process.env['CLOCK_OFFSET_FILE'];
if (file !== undefined) {
  const RealDate = Date;
  let offsetMs = 0;
  const now = (): number => RealDate.now() + offsetMs;
  process.on('SIGUSR2', () => {
    offsetMs = Number(readFileSync(file, 'utf8'));
  });
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given: readonly unknown[], newTarget): object =>
      Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
    apply: () => new RealDate(now()).toString(),
    get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
  });
}
