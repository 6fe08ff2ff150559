import type { RoundProposal } from '@tankwatch/client';
import { DAY_MS, type Format } from '../format.ts';
import type { Translation } from '../translations/translation.ts';

type Proposed = Pick<
  RoundProposal['no_forecast'][number],
  'fill_percentage' | 'is_silent' | 'reading' | 'days_to_empty' | 'earliest_days_to_empty' | 'estimate'
>;

/** The level that a proposal uses. For a silent tank it is an estimate, with the last reading and its age below. */
export function proposedLevel(
  { fill_percentage: level, is_silent, reading, estimate }: Proposed,
  nowMs: number,
  { values }: Translation,
  format: Format,
): { main: string; detail: string } {
  const now = level === null ? '' : format.percent(level);
  if (estimate !== null || !is_silent || reading === null) return { main: now, detail: '' };
  const [was, ago] = [
    values.was(format.percent(reading.fill_percentage)),
    format.ago(nowMs - Date.parse(reading.created_at)),
  ];
  return level === null ? { main: was, detail: ago } : { main: values.approximately(now), detail: `${was}, ${ago}` };
}

/** When the tank is empty. As on other pages, a silent tank has its earliest day. */
export function proposedEmpty(
  { fill_percentage: level, is_silent, days_to_empty: likely, earliest_days_to_empty: earliest }: Proposed,
  { values }: Translation,
  format: Format,
): { main: string; isSentence: boolean } {
  const asSentence = (main: string) => ({ main, isSentence: true });
  if (level === null) return asSentence(values.none);
  const days = is_silent ? earliest : likely;
  if (days === null) return { main: values.moreThanTwoYears, isSentence: false };
  if (days <= 0) return asSentence(values.maybeEmpty);
  const until = format.until(days * DAY_MS);
  return { main: is_silent ? values.from(until) : until, isSentence: false };
}
