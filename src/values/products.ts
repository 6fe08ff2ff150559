/**
 * What can be in a tank. Everything that depends on the product begins here: texts, the fill limit, the expansion, and which truck
 * may come.
 *
 * Fill limits. Liquefied gas: 80 % of the volume, as 29 CFR 1910.110 (table H-28) allows it for propane in small tanks above ground:
 * 42 % of the weight of water, which is 79.8 % of the volume at 40 °F. For butane the same table allows 85 %. A tank with another
 * limit says so itself. Fuels: 95 %, where 40 CFR 280.20(c) wants a delivery to be shut off. Others: no limit.
 *
 * Expansion: by which share the volume of the liquid grows per °C around 15 °C. Propane and butane: the density of the saturated liquid
 * at 10 and 20 °C, 514.7 and 500.2, 590.1 and 578.8 kg/m³ (the equations of Lemmon 2009 and of Bücker and Wagner 2006). A mix: the mean
 * of both. Petroleum products: ASTM D1250-80, table 54B (API MPMS 11.1), K0 / density² + K1 / density with the usual density at
 * 15 °C in kg/m³. Water: the density tables of the CRC Handbook; below 4 °C it shrinks, which is 0.01 % and does not matter here.
 * Null: no source is known, and a compensated volume cannot be compared.
 *
 * Hazard: what a leak does. gas: it gathers and explodes. vapour: a liquid whose vapour does. spill: a liquid that burns and
 * spoils water. none: no safety steps.
 */
export const PRODUCTS = {
  propane: { fillLimit: 80, expansion: 0.0029, hazard: 'gas' },
  butane: { fillLimit: 80, expansion: 0.00195, hazard: 'gas' },
  lpg_mix: { fillLimit: 80, expansion: 0.0024, hazard: 'gas' },
  heating_oil: { fillLimit: 95, expansion: 0.00083, hazard: 'spill' }, // 850 kg/m³: 186.9696 / 850² + 0.4862 / 850
  diesel: { fillLimit: 95, expansion: 0.00084, hazard: 'spill' }, // 840 kg/m³, the same
  gasoline: { fillLimit: 95, expansion: 0.00121, hazard: 'vapour' }, // 745 kg/m³: 346.4228 / 745² + 0.4388 / 745
  kerosene: { fillLimit: 95, expansion: 0.00093, hazard: 'spill' }, // 800 kg/m³: 594.5418 / 800²
  water: { fillLimit: 100, expansion: 0.00015, hazard: 'none' },
  def: { fillLimit: 100, expansion: null, hazard: 'none' },
  other: { fillLimit: 100, expansion: null, hazard: 'none' },
} as const satisfies Record<string, { fillLimit: number; expansion: number | null; hazard: Hazard }>;

export type Hazard = 'gas' | 'vapour' | 'spill' | 'none';
export type Product = keyof typeof PRODUCTS;

/** The product of an organization that names none. */
export const DEFAULT_PRODUCT = 'propane' satisfies Product;

export const isProduct = (name: string): name is Product => Object.hasOwn(PRODUCTS, name);

/** In the order of the table. */
export const PRODUCT_NAMES: readonly Product[] = Object.keys(PRODUCTS).filter(isProduct);

/** A name that this release does not know counts as gas: the dangerous mistake is the other way round. */
export const productOf = (name: string | null | undefined): Product =>
  name !== null && name !== undefined && isProduct(name) ? name : DEFAULT_PRODUCT;

/** The level to which a tank may be filled: its own, or that of its product. */
export const fillLimitOf = ({
  product,
  fill_limit_percentage: own,
}: {
  product: string | null;
  fill_limit_percentage: number | null;
}): number => own ?? PRODUCTS[productOf(product)].fillLimit;

/** What a tank holds, and to which level it may be filled: its own product and limit, or the defaults. */
export interface TankContents {
  product: Product;
  fill_limit_percentage: number;
  /** Whether somebody gave the tank its limit. */
  has_own_limit: boolean;
}

export const DEFAULT_CONTENTS: TankContents = {
  product: DEFAULT_PRODUCT,
  fill_limit_percentage: PRODUCTS[DEFAULT_PRODUCT].fillLimit,
  has_own_limit: false,
};

/**
 * The level to which a truck fills a tank. What the planner chooses is for liquefied gas, whose limit depends on the country. Other
 * products, and tanks with a limit of their own, are filled to their limit.
 */
export const fillToOf = (
  { product, fill_limit_percentage: limit, has_own_limit }: TankContents,
  chosen: number,
): number => (PRODUCTS[product].hazard === 'gas' && !has_own_limit ? chosen : limit);

/**
 * Whether a truck may deliver to a tank. The product of a truck is a text of people: one that names no product may be anything. A mix
 * of liquefied gases counts as each of them, because most people call all of them LP gas.
 */
export function isDeliveredBy(truckProduct: string | null, product: Product): boolean {
  const named = truckProduct === null ? null : productNamed(truckProduct);
  const isMix = named === 'lpg_mix' || product === 'lpg_mix';
  return named === null || named === product || (isMix && PRODUCTS[named].hazard === PRODUCTS[product].hazard);
}

/** The safety steps of an organization, which are for its default product: another hazard needs other steps. Null: it has none. */
export const ownStepsFor = (
  product: Product,
  defaultProduct: Product,
  steps: readonly string[] | null,
): readonly string[] | null => (PRODUCTS[product].hazard === PRODUCTS[defaultProduct].hazard ? steps : null);

/** What a tank holds, as sentences say it: "losing gas", "Para pedir agua". */
export const PRODUCT_NOUNS: Readonly<Record<'en' | 'es', Readonly<Record<Product, string>>>> = {
  en: {
    propane: 'gas',
    butane: 'gas',
    lpg_mix: 'gas',
    heating_oil: 'oil',
    diesel: 'diesel',
    gasoline: 'gasoline',
    kerosene: 'kerosene',
    water: 'water',
    def: 'DEF',
    other: 'product',
  },
  es: {
    propane: 'gas',
    butane: 'gas',
    lpg_mix: 'gas',
    heating_oil: 'gasóleo',
    diesel: 'diésel',
    gasoline: 'gasolina',
    kerosene: 'queroseno',
    water: 'agua',
    def: 'DEF',
    other: 'producto',
  },
};

/** The product of texts about several tanks: what all of them hold, or `other`, whose words name no product. Undefined if there are none. */
export function commonProduct(products: readonly Product[]): Product | undefined {
  const [first, ...others] = products;
  const nounOf = (product: Product): string => PRODUCT_NOUNS.en[product];
  return first === undefined || others.every((one) => nounOf(one) === nounOf(first)) ? first : 'other';
}

/** As the first word of a label. */
export const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** The words that files and people use for a product, in lower case. */
export const PRODUCT_WORDS: Readonly<Record<Product, readonly string[]>> = {
  propane: ['propano', 'lp', 'propane gas', 'gas propano'],
  butane: ['butano', 'gas butano'],
  lpg_mix: ['lpg', 'lp gas', 'lp-gas', 'gas lp', 'glp', 'gas', 'propane/butane', 'autogas'],
  heating_oil: ['heating oil', 'oil', 'fuel oil', '#2 oil', 'no. 2 oil', 'gasóleo', 'gasoleo', 'aceite', 'heizöl'],
  diesel: ['diésel', 'gasoil', 'gas oil', 'ulsd'],
  gasoline: ['petrol', 'gasolina', 'benzin'],
  kerosene: ['queroseno', 'kerosén', 'paraffin', '#1 oil'],
  water: ['agua', 'drinking water', 'agua potable', 'wasser'],
  def: ['adblue', 'urea', 'aus 32', 'aus32', 'diesel exhaust fluid', 'arla 32'],
  other: ['otro', 'otra', 'others'],
};

/** The product that a word names; null for a word that is not known. */
export function productNamed(text: string): Product | null {
  const word = text.trim().normalize().toLowerCase();
  if (isProduct(word)) return word;
  for (const [product, words] of Object.entries(PRODUCT_WORDS))
    if (isProduct(product) && words.includes(word)) return product;
  return null;
}
