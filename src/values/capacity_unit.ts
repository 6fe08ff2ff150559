export type CapacityUnit = 'liters' | 'gallons';

/** A US gallon. */
const LITERS_PER_GALLON = 3.785411784;

/** Volumes of tanks and trucks with different units are compared in liters. */
export const toLiters = (amount: number, unit: CapacityUnit): number =>
  unit === 'liters' ? amount : amount * LITERS_PER_GALLON;

/** How many liters a unit has, in SQL. */
export const litersPerUnitSql = (unit: string): string =>
  `case ${unit} when 'gallons' then ${LITERS_PER_GALLON} else 1 end`;

export const fromLiters = (liters: number, unit: CapacityUnit): number =>
  unit === 'liters' ? liters : liters / LITERS_PER_GALLON;
