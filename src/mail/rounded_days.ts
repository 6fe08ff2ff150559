import type { DaysRange } from '../evaluation/pure/estimator/forecast.ts';

/** A number of whole days, with its range. */
export interface RoundedDays {
  /** 0 means less than a day, null more than two years. */
  likely: number | null;
  earliest: number | null;
  latest: number | null;
  /** True if the range is wide enough to be shown. */
  hasRange: boolean;
}

/** Rounds to whole days; the range becomes wider, never narrower. */
export function roundDays({ likely, earliest, latest }: DaysRange): RoundedDays {
  const rounded = {
    likely: likely === null ? null : likely < 1 ? 0 : Math.round(likely),
    earliest: earliest === null ? null : Math.floor(earliest),
    latest: latest === null ? null : Math.ceil(latest),
  };
  const hasRange =
    rounded.earliest !== null && (rounded.latest === null || rounded.latest > Math.max(1, rounded.earliest));
  return { ...rounded, hasRange };
}

/** Rounds to whole hours below two days, and to whole days otherwise. */
export function roundSpan(hours: number): { count: number; isDays: boolean } {
  const isDays = hours >= 48;
  return { count: Math.max(1, Math.round(isDays ? hours / 24 : hours)), isDays };
}
