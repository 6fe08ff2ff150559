/**
 * By which share the volume of a liquid grows per °C around 15 °C. The table is here only.
 *
 * Propane: 1.5 to 1.65 % for 10 °F (tables of NFPA 58, Annex F). Petroleum products: ASTM D1250-80, table 54B (API MPMS 11.1),
 * K0 / density² + K1 / density with the usual density at 15 °C in kg/m³. Water: the density tables of the CRC Handbook, at
 * 15 °C; below 4 °C it shrinks, which is 0.01 % and does not matter here.
 */
export const EXPANSION_PER_CELSIUS = {
  propane: 0.0029,
  heating_oil: 0.00083, // 850 kg/m³: 186.9696 / 850² + 0.4862 / 850
  diesel: 0.00084, // 840 kg/m³, the same
  kerosene: 0.00093, // 800 kg/m³: 594.5418 / 800²
  gasoline: 0.00121, // 745 kg/m³: 346.4228 / 745² + 0.4388 / 745
  water: 0.00015,
} as const;
export type ExpandingProduct = keyof typeof EXPANSION_PER_CELSIUS;
