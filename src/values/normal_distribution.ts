/** The 90 % quantile of the standard normal distribution: 80 % of all values lie within this many deviations. */
export const Z_SCORE_P90 = 1.2816;
/** The rounded quantile in forecasts of tanks with sensors. Another value would change all their ranges. */
export const FORECAST_Z_SCORE_P90 = 1.28;

/** Coefficients of Hart's approximation, in the form of West (2005). Its error is below 1e-14, even far from the mean. */
const NUMERATOR = [
  3.52624965998911e-2, 0.700383064443688, 6.37396220353165, 33.912866078383, 112.079291497871, 221.213596169931,
  220.206867912376,
];
const DENOMINATOR = [
  8.83883476483184e-2, 1.75566716318264, 16.064177579207, 86.7807322029461, 296.564248779674, 637.333633378831,
  793.826512519948, 440.413735824752,
];
/** From this many deviations on, a continued fraction is used, which is exact there. */
const TAIL_START_DEVIATIONS = 7.07106781186547;

/** Returns the share of a normal distribution below this many standard deviations. */
export function shareBelow(deviations: number): number {
  const size = Math.abs(deviations);
  const density = Math.exp((-size * size) / 2);
  const beyond =
    size < TAIL_START_DEVIATIONS
      ? (density * polynomial(NUMERATOR, size)) / polynomial(DENOMINATOR, size)
      : density / (size + 1 / (size + 2 / (size + 3 / (size + 4 / (size + 0.65))))) / Math.sqrt(2 * Math.PI);
  return deviations > 0 ? 1 - beyond : beyond;
}

const polynomial = (coefficients: readonly number[], x: number): number =>
  coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);
