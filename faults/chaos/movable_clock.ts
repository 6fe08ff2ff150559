/**
 * Is loaded into a role with `--import`. On SIGUSR2 the wall clock of the role moves to the real time plus the milliseconds in
 * the file CLOCK_OFFSET_FILE. Replacing Date has the effect of a step of the system clock, because timers and performance.now()
 * use the monotonic clock. It needs neither the privilege to set the clock nor libfaketime, which by default also moves the
 * monotonic clock.
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
