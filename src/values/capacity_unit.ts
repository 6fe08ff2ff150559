export type CapacityUnit = 'liters' | 'gallons';

/** Gallons are US gallons. */
const LITERS_PER_GALLON = 3.785411784;

/** Converts to liters, in which volumes of tanks and trucks with different units are compared. */
export const toLiters = (amount: number, unit: CapacityUnit): number =>
  unit === 'liters' ? amount : amount * LITERS_PER_GALLON;

/** SQL for the number of liters in a unit. */
export const litersPerUnitSql = (unit: string): string =>
  `case ${unit} when 'gallons' then ${LITERS_PER_GALLON} else 1 end`;

export const fromLiters = (liters: number, unit: CapacityUnit): number =>
  unit === 'liters' ? liters : liters / LITERS_PER_GALLON;
