import type { Product } from './products.ts';

/**
 * The share by which the volume of the liquid grows per °C around 15 °C. Null if no source is known: then a compensated volume is not
 * compared.
 *
 * Propane and butane: the density of the saturated liquid at 10 and 20 °C, 514.7 and 500.2, 590.1 and 578.8 kg/m³ (the equations of
 * Lemmon 2009 and of Bücker and Wagner 2006). A mix: the mean of both. Petroleum products: ASTM D1250-80, table 54B (API MPMS 11.1),
 * K0 / density² + K1 / density with the usual density at 15 °C in kg/m³. Water: the density tables of the CRC Handbook; below 4 °C it
 * contracts by 0.01 % instead, which is ignored.
 */
export const EXPANSION_PER_CELSIUS = {
  propane: 0.0029,
  butane: 0.00195,
  lpg_mix: 0.0024,
  heating_oil: 0.00083, // 850 kg/m³: 186.9696 / 850² + 0.4862 / 850
  diesel: 0.00084, // 840 kg/m³: 186.9696 / 840² + 0.4862 / 840
  gasoline: 0.00121, // 745 kg/m³: 346.4228 / 745² + 0.4388 / 745
  kerosene: 0.00093, // 800 kg/m³: 594.5418 / 800²
  water: 0.00015,
  def: null,
  other: null,
} as const satisfies Record<Product, number | null>;
