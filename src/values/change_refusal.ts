import { UserError } from './user_error.ts';

/** Why a change is not made although each of its values is valid. */
export type RefusalReason =
  | 'contact_exists'
  | 'last_administrator'
  | 'people_only'
  | 'too_many_contacts'
  | 'too_many_enabled_webhooks'
  | 'too_many_events'
  | 'too_many_webhooks'
  | 'webhook_disabled';

/**
 * A rule refuses a change. The message is the fact, such as "this is the last administrator". HTTP and the command line each have
 * a table of what their users can do about it.
 */
export class ChangeRefusal extends UserError {
  readonly reason: RefusalReason;
  /** The ID of the object that prevents the change. */
  readonly conflictingId: string | undefined;

  constructor(reason: RefusalReason, fact: string, conflictingId?: string) {
    super(fact);
    this.reason = reason;
    this.conflictingId = conflictingId;
  }
}

/** There is no object with this reference, or the caller must not see it. */
export class NoSuchObject extends UserError {
  readonly noun: 'contact' | 'webhook';

  constructor(noun: NoSuchObject['noun']) {
    super(`there is no such ${noun}; see: tankwatch ${noun}s list`);
    this.noun = noun;
  }
}
