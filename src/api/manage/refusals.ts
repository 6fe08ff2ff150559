import { conflict, type Problem, peopleOnly } from '../../http/problem.ts';
import type { ChangeRefusal, RefusalReason } from '../../values/change_refusal.ts';

/** What a caller of /manage/v1 can do about a refusal. Null: the fact says it. */
const REMEDIES: Readonly<Record<Exclude<RefusalReason, 'people_only'>, string | null>> = {
  contact_exists: null,
  last_administrator: 'Make another person administrator first.',
  too_many_contacts: null,
};

export function problemOf({ reason, message, conflictingId }: ChangeRefusal): Problem {
  if (reason === 'people_only') return peopleOnly();
  const remedy = REMEDIES[reason];
  const fact = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
  return conflict(remedy === null ? fact : `${fact} ${remedy}`, conflictingId);
}
