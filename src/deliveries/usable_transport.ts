import type { Db } from '../db/pool.ts';
import type { FieldProblem } from '../values/change_refusal.ts';
import { findTransport, type StoredTransport } from './trucks.ts';

/**
 * Finds a truck or a driver for a round. Adds a problem if there is none, or if it is archived. With `lock`, nobody archives or deletes
 * it until the round is stored. It is locked before the round, as in its deletion.
 */
export async function findUsable<Kind extends 'truck' | 'driver'>(
  db: Db,
  organizationNo: number,
  kind: Kind,
  id: string,
  problems: FieldProblem[],
  options: { lock?: 'share' } = {},
): Promise<StoredTransport<Kind> | undefined> {
  const found = await findTransport(db, organizationNo, kind, id, options);
  if (found === undefined || found.object.is_archived)
    problems.push({ field: `${kind}_id`, reason: `must be a ${kind} that is in use` });
  return found;
}
