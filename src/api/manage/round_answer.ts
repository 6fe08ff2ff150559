import type { Db } from '../../db/pool.ts';
import { findRound, type StoredRound } from '../../deliveries/rounds.ts';
import { notFound } from '../../http/problem.ts';
import type { ManageResponse, WriteRequest } from './operation.ts';

/** Raised by every change of the plan. */
export const roundEtag = ({ version, object: { id } }: StoredRound): string => `"${id}.${version}"`;

/** The round of a path. Throws 404. */
export async function roundOf(
  db: Db,
  organizationNo: number,
  { id = '' }: WriteRequest['path'],
  options?: { isLocked: boolean },
): Promise<StoredRound> {
  const found = await findRound(db, organizationNo, id, options);
  if (found === undefined) throw notFound('round');
  return found;
}

export function answerWithRound(round: StoredRound, status: 200 | 201): ManageResponse {
  const etag = roundEtag(round);
  return { status, body: { ...round.object, etag }, etag, about: { object: 'round', no: round.no } };
}
