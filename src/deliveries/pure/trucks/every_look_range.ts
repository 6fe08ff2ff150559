/** One honest truck in a thousand is flagged in a year. */
const ALPHA = 0.001;
/** The bias that a truck is expected to have if it has one, as a deviation. It decides when the range is narrowest. */
const EXPECTED_BIAS = 0.02;

/**
 * Half of the width of a range that holds at every look, by the information (1 / variance) so far. A range of 3.3 standard
 * errors holds at one look; somebody who looks every week sees an honest truck outside it sooner or later. This one is about
 * 4.2 standard errors (Robbins 1970, the mixture of normal distributions).
 */
export function everyLookRange(information: number): number {
  if (information <= 0) return Number.POSITIVE_INFINITY;
  const weight = 1 + EXPECTED_BIAS ** 2 * information;
  return Math.sqrt((weight / (EXPECTED_BIAS * information) ** 2) * (2 * Math.log(1 / ALPHA) + Math.log(weight)));
}

/** The information with which the range is as narrow as this. */
export function informationFor(range: number): number {
  let [low, high] = [1, 1e12];
  for (let step = 0; step < 100; step++) {
    const between = Math.sqrt(low * high);
    if (everyLookRange(between) > range) low = between;
    else high = between;
  }
  return high;
}
