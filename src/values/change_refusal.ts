import { UserError } from './user_error.ts';

/** The reason why a change is refused although each of its values is valid. */
export type RefusalReason =
  | 'contact_exists'
  | 'custom_id_taken'
  | 'customer_owns_tanks'
  | 'customer_verified'
  | 'device_conditions_only'
  | 'device_on_other_tank'
  | 'device_revoked'
  | 'device_without_password'
  | 'escalation_over'
  | 'external_key_taken'
  | 'gauge_not_described'
  | 'gauge_profile_in_use'
  | 'handled_by_other'
  | 'import_not_recorded'
  | 'import_undone'
  | 'last_administrator'
  | 'name_taken'
  | 'no_code'
  | 'no_console_role'
  | 'no_phone'
  | 'no_text_channel'
  | 'not_open'
  | 'note_taken'
  | 'other_device'
  | 'people_only'
  | 'replacement_on_other_tank'
  | 'round_over'
  | 'stop_at_batch_tank'
  | 'stop_closed'
  | 'tank_had_sensor'
  | 'tank_has_sensor'
  | 'tank_losing'
  | 'tank_on_other_round'
  | 'too_many_connectors'
  | 'too_many_contacts'
  | 'too_many_dips'
  | 'too_many_enabled_webhooks'
  | 'too_many_entries'
  | 'too_many_events'
  | 'too_many_gauges'
  | 'too_many_invitations'
  | 'too_many_notes'
  | 'too_many_of_kind'
  | 'too_many_pins'
  | 'too_many_tanks'
  | 'too_many_texts'
  | 'too_many_webhooks'
  | 'unusable_solution'
  | 'webhook_disabled';

/**
 * A rule refuses a change. The message states the fact, such as "this is the last administrator". HTTP and the command line each have
 * a table of remedies.
 */
export class ChangeRefusedError extends UserError {
  readonly reason: RefusalReason;
  /** The ID of the object that prevents the change. */
  readonly conflictingId: string | undefined;

  constructor(reason: RefusalReason, fact: string, conflictingId?: string) {
    super(fact);
    this.reason = reason;
    this.conflictingId = conflictingId;
  }
}

/** The commands that list the objects of a noun, if they are not named `<plural> list`. */
const LISTING_COMMANDS: Readonly<Record<string, string>> = {
  'delivery note': 'notes list',
  escalation: 'duty escalations',
  'gauge profile': 'gauges list',
  'profile assignment': 'gauges assignments',
  stop: 'rounds show',
};

/** There is no object with this reference, or the caller may not see the object. */
export class NoSuchObjectError extends UserError {
  readonly noun:
    | 'acknowledgement'
    | 'connector'
    | 'contact'
    | 'customer'
    | 'delivery note'
    | 'depot'
    | 'device'
    | 'driver'
    | 'escalation'
    | 'gauge profile'
    | 'import'
    | 'note'
    | 'profile assignment'
    | 'round'
    | 'stop'
    | 'tank'
    | 'truck'
    | 'webhook';

  constructor(noun: NoSuchObjectError['noun']) {
    super(`there is no such ${noun}; see: tankwatch ${LISTING_COMMANDS[noun] ?? `${noun}s list`}`);
    this.noun = noun;
  }
}

/** A value that cannot be used, such as an archived truck. */
export interface FieldProblem {
  /** The field as /manage/v1 names it. */
  field: string;
  /** The rule that the value violates, such as "must be a truck that is in use". */
  reason: string;
  /** The code of the problem in /manage/v1, if it is not `invalid`. */
  code?: 'out_of_range';
}

/** Values that cannot be used, at least one. */
export class InvalidValuesError extends UserError {
  readonly problems: readonly FieldProblem[];

  constructor(problems: readonly FieldProblem[]) {
    super(problems.map(({ field, reason }) => `${field} ${reason}`).join('; '));
    this.problems = problems;
  }
}

export function refuseField(field: string, reason: string): never {
  throw new InvalidValuesError([{ field, reason }]);
}

export function refuseProblems(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw new InvalidValuesError(problems);
}
