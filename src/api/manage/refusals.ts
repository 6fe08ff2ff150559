import { DatabaseError } from 'pg';
import { refusalOfLostRace } from '../../catalog/lost_race.ts';
import { DatabaseUnavailableError, isServerFailure } from '../../db/shared_connections.ts';
import { conflict, invalidParameters, notFound, notOpen, Problem, peopleOnly } from '../../http/problem.ts';
import {
  ChangeRefusedError,
  InvalidValuesError,
  NoSuchObjectError,
  type RefusalReason,
} from '../../values/change_refusal.ts';
import { errorCode } from '../../values/error_code.ts';
import { MAX_DELETED_TANKS } from '../../values/interface_limits.ts';
import { sentence } from './body_values.ts';

/** What a caller of /manage/v1 can do about a refusal. Null if the message is enough. */
const REMEDIES: Readonly<Record<Exclude<RefusalReason, 'people_only' | 'not_open'>, string | null>> = {
  contact_exists: null,
  custom_id_taken: null,
  customer_owns_tanks: 'Transfer or delete them first, or send with_tanks=true.',
  customer_verified: null,
  device_conditions_only: null,
  device_on_other_tank: 'To exchange it, use PUT /manage/v1/tanks/{id}/device with `exchange`.',
  device_revoked: 'Send `rotate` to give it a new password.',
  device_without_password: 'Put a device on the tank first.',
  escalation_over: null,
  external_key_taken: null,
  gauge_not_described: 'Describe it with PUT /manage/v1/tanks/{id}/gauges.',
  gauge_profile_in_use: 'Assign another profile there first.',
  handled_by_other: null,
  import_not_recorded: null,
  import_undone: null,
  last_administrator: 'Make another person administrator first.',
  name_taken: null,
  no_code: 'Ask for a new one with POST /manage/v1/contacts/{id}/reach/texts.',
  no_console_role: 'Give the contact a role first.',
  no_phone: 'Set one first.',
  no_text_channel: 'Set up a provider first.',
  note_taken: 'Check the number, or record the stop without it.',
  other_device: 'To exchange it, use PUT /manage/v1/tanks/{id}/device.',
  replacement_on_other_tank: 'Name another replacement.',
  round_over: null,
  stop_at_batch_tank: 'Take it off the round.',
  stop_closed: null,
  tank_had_sensor: null,
  tank_has_sensor: 'Only a tank without one takes dips; its device is `manual` when it is created or assigned.',
  tank_losing: 'It cannot be muted.',
  tank_on_other_round: null,
  too_many_connectors: 'Remove one of them first.',
  too_many_contacts: null,
  too_many_dips: 'Send it again tomorrow.',
  too_many_enabled_webhooks: 'Disable one of them first.',
  too_many_entries: null,
  too_many_events: 'Give a later time.',
  too_many_gauges: 'Remove one of them first.',
  too_many_invitations: 'Try again tomorrow. The person can also ask for a mail on the sign-in page.',
  too_many_notes: 'Delete one of them first.',
  too_many_of_kind: null,
  too_many_pins: null,
  too_many_tanks: `Delete tanks first: at most ${MAX_DELETED_TANKS}, or max_tanks, are deleted with it.`,
  too_many_texts: 'Try again tomorrow.',
  too_many_webhooks: 'Delete one of them first, or give one of them the new URL with PATCH.',
  unusable_solution: null,
  webhook_disabled: 'Enable it first.',
};

function problemOf({ reason, message, conflictingId }: ChangeRefusedError): Problem {
  if (reason === 'people_only') return peopleOnly();
  const fact = sentence(message);
  if (reason === 'not_open') return notOpen(fact);
  const remedy = REMEDIES[reason];
  return conflict(remedy === null ? fact : `${fact} ${remedy}`, conflictingId);
}

/** PostgreSQL ended a transaction that was idle for too long, because this machine was busy. Nothing was changed. */
const IDLE_IN_TRANSACTION = '25P03';

/** Converts an error of a change to a problem. Other errors stay as they are, and `sendError` handles them. */
export function problemOfChange(thrown: unknown): unknown {
  const error = refusalOfLostRace(thrown);
  if (error instanceof Problem) return error;
  if (error instanceof ChangeRefusedError) return problemOf(error);
  if (error instanceof NoSuchObjectError) return notFound(error.noun);
  if (error instanceof InvalidValuesError)
    return invalidParameters(
      error.problems.map(({ field, reason, code = 'invalid' }) => ({ param: field, code, detail: sentence(reason) })),
    );
  if (isLost(error))
    // If the connection was lost around the commit, the change may have been made. A retry with the same
    // Idempotency-Key shows it.
    return new DatabaseUnavailableError('the connection of /manage/v1 was lost', { cause: error });
  return error;
}

/**
 * Whether the connection was lost. The driver reports it with errors without a response of the server, and the server
 * with errors when it stops or has no free connection.
 */
function isLost(error: unknown): boolean {
  if (error instanceof DatabaseError) return isServerFailure(error.code ?? '') || error.code === IDLE_IN_TRANSACTION;
  if (!(error instanceof Error)) return false;
  return (
    /^E[A-Z]+$/.test(errorCode(error) ?? '') ||
    /^(Connection terminated|Client has encountered|Query read timeout|timeout e)/.test(error.message)
  );
}
