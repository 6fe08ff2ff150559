import { isThorough } from './whole_tests.ts';

/** How many random cases a property is tried with: all at night and in `npm test`, a quarter in `.ci/run`, a tenth in `npm run test:unit`. */
export function randomRuns(all: number): number {
  if (process.env['QUICK'] !== undefined) return Math.ceil(all / 10);
  return isThorough() ? all : Math.ceil(all / 4);
}
