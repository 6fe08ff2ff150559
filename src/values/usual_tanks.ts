const INCH_MM = 25.4;
const cylinder = (diameterInches: number, lengthInches: number) =>
  ({
    form: 'horizontal_cylinder',
    diameter_mm: diameterInches * INCH_MM,
    length_mm: lengthInches * INCH_MM,
    heads: 'hemispherical',
  }) as const;
const obround = (widthInches: number, heightInches: number) =>
  ({ form: 'obround', width_mm: widthInches * INCH_MM, height_mm: heightInches * INCH_MM }) as const;

/**
 * The outside dimensions of common tanks in the United States. Their heads are hemispherical, as in genmon (github.com/jgyates/genmon).
 * An oil tank of 330 gal has the cross-section of a tank of 275 gal and is longer.
 */
export const USUAL_TANKS = [
  { name: 'horizontal_120_gal', gallons: [120], shape: cylinder(24, 66) },
  { name: 'horizontal_250_gal', gallons: [250], shape: cylinder(30, 92) },
  { name: 'horizontal_500_gal', gallons: [500], shape: cylinder(37, 120) },
  { name: 'horizontal_1000_gal', gallons: [1_000], shape: cylinder(41, 190) },
  { name: 'upright_275_gal', gallons: [275, 330], shape: obround(27, 44) },
  { name: 'flat_275_gal', gallons: [275, 330], shape: obround(44, 27) },
] as const;

export type UsualTank = (typeof USUAL_TANKS)[number];
