import { conflict, type Problem, peopleOnly } from '../../http/problem.ts';
import type { ChangeRefusal, RefusalReason } from '../../values/change_refusal.ts';
import { sentence } from './body.ts';

/** What a caller of /manage/v1 can do about a refusal. Null: the fact says it. */
const REMEDIES: Readonly<Record<Exclude<RefusalReason, 'people_only'>, string | null>> = {
  contact_exists: null,
  last_administrator: 'Make another person administrator first.',
  too_many_contacts: null,
  too_many_enabled_webhooks: 'Disable one of them first.',
  too_many_events: 'Give a later time.',
  too_many_webhooks: 'Give one of them the new URL with PATCH, and enable it.',
  webhook_disabled: 'Enable it first.',
};

export function problemOf({ reason, message, conflictingId }: ChangeRefusal): Problem {
  if (reason === 'people_only') return peopleOnly();
  const remedy = REMEDIES[reason];
  const fact = sentence(message);
  return conflict(remedy === null ? fact : `${fact} ${remedy}`, conflictingId);
}
