import { type Format, sentence } from '../format.ts';
import type { FOLLOWED_TEXTS } from '../translations/followed.ts';
import type { ChartEvent } from './event_data.ts';

export type FollowedEvent = Pick<ChartEvent, 'followed' | 'retracted_at'>;

/** Who took an event on, why, and what followed, such as "Ana took it on 10:42 AM (Truck 2), delivered 2:05 PM." */
export function followedText(
  { followed, retracted_at }: FollowedEvent,
  texts: (typeof FOLLOWED_TEXTS)['en'],
  format: Pick<Format, 'recent'>,
  nowMs: number,
): string {
  if (followed === null || retracted_at !== null) return '';
  const { handled, refilled_at: refilledAt, ended_at: endedAt } = followed;
  const time = (at: string): string => format.recent(at, nowMs);
  const parts = handled.map(
    ({ name, comment, since }) =>
      texts.tookOn(name ?? texts.program, time(since)) + (comment === null ? '' : ` (${comment})`),
  );
  if (refilledAt !== null) parts.push(texts.delivered(time(refilledAt)));
  else if (endedAt !== null) parts.push(texts.over(time(endedAt)));
  if (parts.length === 0) parts.push(texts.nobody);
  return sentence(`${parts.join(', ')}.`.replace(/\.\.$/, '.'));
}
