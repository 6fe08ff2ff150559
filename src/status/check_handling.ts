import { InvalidValuesError, refuseField } from '../values/change_refusal.ts';
import { MAX_COMMENT_LENGTH, MIN_HANDLED_MINUTES } from '../values/handling_limits.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, parseTimeMs } from '../values/time.ts';

/** The clock of a browser may differ from the clock of the service by this much. */
const CLOCK_SLACK_MS = MINUTE_MS;

/** Checks the end of an acknowledgement or a mute, and returns it as an ISO time. Throws InvalidValuesError. */
export function checkUntil(given: string, maxMs: number): string {
  const untilMs = parseTimeMs(given.trim()) ?? Number.NaN;
  const leftMs = untilMs - Date.now();
  if (leftMs >= MIN_HANDLED_MINUTES * MINUTE_MS - CLOCK_SLACK_MS && leftMs <= maxMs + CLOCK_SLACK_MS)
    return new Date(untilMs).toISOString();
  const longest = maxMs >= DAY_MS ? `${maxMs / DAY_MS} days` : `${maxMs / HOUR_MS} hours`;
  const reason = `must be ${MIN_HANDLED_MINUTES} minutes to ${longest} from now`;
  throw new InvalidValuesError([{ field: 'until', code: 'out_of_range', reason }]);
}

/** Checks a comment or a reason, and returns it; null if it is empty. Throws InvalidValuesError. */
export function checkComment(field: 'comment' | 'reason', given: string | null): string | null {
  const trimmed = (given ?? '').trim();
  if (trimmed.length <= MAX_COMMENT_LENGTH) return trimmed === '' ? null : trimmed;
  return refuseField(field, `must have at most ${MAX_COMMENT_LENGTH} characters`);
}
