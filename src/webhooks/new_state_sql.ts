import { LEASE_SECONDS } from './deliveries.ts';
import { RETRACTED_TYPE } from './message.ts';

/**
 * SQL condition: an attempt of the delivery `d` may be in progress. Twice the lease, because now() is the start of the transaction, and
 * a worker may have claimed the delivery after it.
 */
const MAY_BE_SENT_SQL = `(d.status = 'pending' and d.next_attempt_at > now()
  and d.next_attempt_at <= now() + make_interval(secs => 2 * ${LEASE_SECONDS}))`;

/**
 * SQL: the new time of the delivery `d` whose event was retracted or is valid again. If an attempt is in progress, the changed time
 * ends its ownership: the attempt is recorded, and the new state is sent after it.
 */
export const TIME_OF_NEW_STATE_SQL = `case when ${MAY_BE_SENT_SQL}
  then d.next_attempt_at + interval '1 millisecond' else now() end`;

/** SQL condition: the delivery `d` of an event was canceled, or its last message was the retraction, or may be it. */
export const MAY_HAVE_RETRACTED_SQL = `(d.status = 'canceled' or ${MAY_BE_SENT_SQL}
  or d.attempts -> -1 ->> 'type' = '${RETRACTED_TYPE}')`;
