import { MAX_DELETED_TANKS } from '../../catalog/customers.ts';
import { conflict, type Problem, peopleOnly } from '../../http/problem.ts';
import type { ChangeRefusedError, RefusalReason } from '../../values/change_refusal.ts';
import { sentence } from './body_values.ts';

/** What a caller of /manage/v1 can do about a refusal. Null if the message is enough. */
const REMEDIES: Readonly<Record<Exclude<RefusalReason, 'people_only'>, string | null>> = {
  contact_exists: null,
  custom_id_taken: null,
  customer_owns_tanks: 'Transfer or delete them first, or send with_tanks=true.',
  customer_verified: null,
  device_on_other_tank: 'To exchange it, use PUT /manage/v1/tanks/{id}/device with `exchange`.',
  device_revoked: 'Send `rotate` to give it a new password.',
  device_without_password: 'Put a device on the tank first.',
  external_key_taken: null,
  last_administrator: 'Make another person administrator first.',
  name_taken: null,
  other_device: 'To exchange it, use PUT /manage/v1/tanks/{id}/device.',
  replacement_on_other_tank: 'Name another replacement.',
  round_over: null,
  stop_closed: null,
  tank_on_other_round: null,
  too_many_contacts: null,
  too_many_enabled_webhooks: 'Disable one of them first.',
  too_many_events: 'Give a later time.',
  too_many_notes: 'Delete one of them first.',
  too_many_of_kind: null,
  too_many_pins: null,
  too_many_tanks: `Delete tanks first, until it has at most ${MAX_DELETED_TANKS}.`,
  too_many_webhooks: 'Give one of them the new URL with PATCH, and enable it.',
  webhook_disabled: 'Enable it first.',
};

export function problemOf({ reason, message, conflictingId }: ChangeRefusedError): Problem {
  if (reason === 'people_only') return peopleOnly();
  const remedy = REMEDIES[reason];
  const fact = sentence(message);
  return conflict(remedy === null ? fact : `${fact} ${remedy}`, conflictingId);
}
