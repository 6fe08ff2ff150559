import type { Db } from '../../db/pool.ts';
import { existingRound, type StoredRound } from '../../deliveries/rounds.ts';
import { type Condition, compare } from './conditions.ts';
import type { ManageResponse } from './manage_operation.ts';

/** The ETag of a round. Every change of the plan raises the version. */
const roundEtag = ({ version, object: { id } }: StoredRound): string => `"${id}.${version}"`;

export const compareWith = (condition: Condition) => compare(condition, roundEtag);

/** A round as it is now, with its ETag. */
export async function shownRound(db: Db, organizationNo: number, id: string) {
  const round = await existingRound(db, organizationNo, id);
  return { no: round.no, body: { ...round.object, etag: roundEtag(round) } };
}

export async function respondWithRound(
  { tx, organizationNo }: { tx: Db; organizationNo: number },
  id: string,
  status: 200 | 201 = 200,
): Promise<ManageResponse> {
  const { no, body } = await shownRound(tx, organizationNo, id);
  return { status, body, etag: body.etag, about: { object: 'round', no } };
}
