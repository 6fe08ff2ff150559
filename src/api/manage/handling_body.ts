import { invalidParameters } from '../../http/problem.ts';
import { DAY_MS, MINUTE_MS } from '../../values/time.ts';
import { parseCommonEraTime } from '../parameters.ts';

export const MAX_COMMENT_LENGTH = 500;
const MIN_MS = 5 * MINUTE_MS;
export const MAX_HANDLED_MS = 14 * DAY_MS;
/** A browser whose clock is ahead may ask for the longest time. */
const CLOCK_SLACK_MS = MINUTE_MS;

/** The end of an acknowledgement or a mute, as an ISO time. Throws 422. */
export function parseUntil(given: string, maxMs: number): string {
  const parsed = parseCommonEraTime(given);
  if (!('value' in parsed)) throw invalidParameters([{ param: 'until', ...parsed }]);
  const leftMs = parsed.value.ms - Date.now();
  if (leftMs >= MIN_MS - CLOCK_SLACK_MS && leftMs <= maxMs + CLOCK_SLACK_MS)
    return new Date(parsed.value.ms).toISOString();
  const longest = maxMs >= DAY_MS ? `${maxMs / DAY_MS} days` : `${maxMs / (60 * MINUTE_MS)} hours`;
  const detail = `Must be 5 minutes to ${longest} from now.`;
  throw invalidParameters([{ param: 'until', code: 'out_of_range', detail }]);
}

/** A comment or a reason; null if none was given. Throws 422. */
export function parseComment(param: 'comment' | 'reason', given: string | null = null): string | null {
  const trimmed = (given ?? '').trim();
  if (trimmed.length <= MAX_COMMENT_LENGTH) return trimmed === '' ? null : trimmed;
  const detail = `Must have at most ${MAX_COMMENT_LENGTH} characters.`;
  throw invalidParameters([{ param, code: 'invalid', detail }]);
}
