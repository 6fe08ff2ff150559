/** One correct truck in a thousand is flagged in a year. */
const ALPHA = 0.001;
/** The bias that a truck is expected to have if it has one, as a deviation. It decides when the range is narrowest. */
const EXPECTED_BIAS = 0.02;

/**
 * Half the width of a confidence sequence: an interval that stays valid however often it is checked. `information` is 1
 * / variance. An interval of 3.3 standard errors is valid for one check; with weekly checks a correct truck would be
 * outside of it sooner or later. This one has about 4.2 standard errors (Robbins 1970, the mixture of normal
 * distributions).
 */
export function confidenceSequenceHalfWidth(information: number): number {
  if (information <= 0) return Number.POSITIVE_INFINITY;
  const weight = 1 + EXPECTED_BIAS ** 2 * information;
  return Math.sqrt((weight / (EXPECTED_BIAS * information) ** 2) * (2 * Math.log(1 / ALPHA) + Math.log(weight)));
}

/** The information at which half the width is this value. */
export function informationForHalfWidth(range: number): number {
  let [low, high] = [1, 1e12];
  for (let step = 0; step < 100; step++) {
    const between = Math.sqrt(low * high);
    if (confidenceSequenceHalfWidth(between) > range) low = between;
    else high = between;
  }
  return high;
}
