import { EXPANSION_PER_CELSIUS } from '../../../values/product_expansion.ts';
import type { DeliveryNote } from './delivery_note.ts';

/** 60 °F, the temperature to which meters compensate. */
const BASE_CELSIUS = 15.6;

/**
 * The volume that went through the hose, as the gauge sees it. A compensated meter prints the volume at 15.6 °C: read as
 * pumped, propane is 2 % off in a mild winter and 9 % at -15 °C. An unknown product is propane. Null if it is unknown
 * whether or for which temperature the meter compensated.
 */
export function pumpedLiters({
  liters,
  isCompensated,
  productCelsius,
  airCelsius,
  product,
}: Pick<DeliveryNote, 'liters' | 'isCompensated' | 'productCelsius' | 'airCelsius' | 'product'>): number | null {
  if (isCompensated === false) return liters;
  const celsius = productCelsius ?? airCelsius;
  if (isCompensated === null || celsius === null) return null;
  return liters * (1 + EXPANSION_PER_CELSIUS[product ?? 'propane'] * (celsius - BASE_CELSIUS));
}
