import { DEFAULT_PRODUCT } from '../../../values/products.ts';
import { EXPANSION_PER_CELSIUS } from '../../../values/thermal_expansion.ts';
import type { DeliveryNote } from './delivery_note.ts';

/** 60 °F, the temperature to which meters compensate. */
const BASE_CELSIUS = 15.6;

/**
 * The volume that went through the hose, as the gauge sees it. A compensated meter prints the volume at 15.6 °C. This
 * differs from the pumped volume of propane by 2 % in a mild winter and by 9 % at -15 °C. An unknown product counts as
 * propane. Null if it is unknown whether or for which temperature the meter compensated, or how the product expands.
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
  const expansion = EXPANSION_PER_CELSIUS[product ?? DEFAULT_PRODUCT];
  if (isCompensated === null || celsius === null || expansion === null) return null;
  return liters * (1 + expansion * (celsius - BASE_CELSIUS));
}
