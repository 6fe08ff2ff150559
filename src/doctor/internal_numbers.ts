import type { Db } from '../db/pool.ts';
import { MUCH_USED_SHARE, readSequenceUse } from '../db/sequence_use.ts';
import { type CheckFinding, finding, warning } from './finding.ts';

/** Finds tables that have used up half of their internal numbers. */
export async function checkInternalNumbers(db: Db): Promise<CheckFinding[]> {
  const remedy =
    'find out what takes them, and give the table more numbers: see docs/operators/scale.md, "When internal numbers are used up"';
  return (await readSequenceUse(db))
    .filter(({ used_share }) => used_share >= MUCH_USED_SHARE)
    .map(({ name, used_share }) =>
      used_share >= 1
        ? finding(`all internal numbers of ${name} are used, so no row can be added`, remedy)
        : warning(`${Math.floor(used_share * 100)} % of the internal numbers of ${name} are used`, remedy),
    );
}
