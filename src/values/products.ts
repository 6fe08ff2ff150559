/**
 * The products of tanks. Texts, the fill limit and the choice of trucks depend on them. For their expansion see thermal_expansion.ts.
 *
 * Fill limits. Liquefied gas: 80 % of the volume, as 29 CFR 1910.110 (table H-28) allows it for propane in small tanks above ground:
 * 42 % of the weight of water, which is 79.8 % of the volume at 40 °F. For butane the same table allows 85 %. A tank can have its own
 * limit. Fuels: 95 %, where 40 CFR 280.20(c) requires a delivery to be shut off. Others: no limit.
 *
 * Hazard of a leak. gas: the gas collects and can explode. vapour: the vapour of the liquid can explode. spill: the liquid burns and
 * pollutes water. none: there are no safety steps.
 */
export const PRODUCTS = {
  propane: { fillLimit: 80, hazard: 'gas' },
  butane: { fillLimit: 80, hazard: 'gas' },
  lpg_mix: { fillLimit: 80, hazard: 'gas' },
  heating_oil: { fillLimit: 95, hazard: 'spill' },
  diesel: { fillLimit: 95, hazard: 'spill' },
  gasoline: { fillLimit: 95, hazard: 'vapour' },
  kerosene: { fillLimit: 95, hazard: 'spill' },
  water: { fillLimit: 100, hazard: 'none' },
  def: { fillLimit: 100, hazard: 'none' },
  other: { fillLimit: 100, hazard: 'none' },
} as const satisfies Record<string, { fillLimit: number; hazard: Hazard }>;

export type Hazard = 'gas' | 'vapour' | 'spill' | 'none';
export type Product = keyof typeof PRODUCTS;

/** The product of organizations that have not chosen one. */
export const DEFAULT_PRODUCT = 'propane' satisfies Product;

export const isProduct = (name: string): name is Product => Object.hasOwn(PRODUCTS, name);

/** The products in the order of the table. */
export const PRODUCT_NAMES: readonly Product[] = Object.keys(PRODUCTS).filter(isProduct);

/** Returns the product of a name. An unknown name is treated as gas, because treating gas as a harmless product would be dangerous. */
export const productOf = (name: string | null | undefined): Product =>
  name !== null && name !== undefined && isProduct(name) ? name : DEFAULT_PRODUCT;

/** Returns the level to which a tank may be filled: its own limit, or the limit of its product. */
export const fillLimitOf = ({
  product,
  fill_limit_percentage: own,
}: {
  product: string | null;
  fill_limit_percentage: number | null;
}): number => own ?? PRODUCTS[productOf(product)].fillLimit;

/** The product of a tank and the level to which it may be filled: its own values, or the defaults. */
export interface TankContents {
  product: Product;
  fill_limit_percentage: number;
  /** True if a person set the limit of this tank. */
  has_own_limit: boolean;
}

export const DEFAULT_CONTENTS: TankContents = {
  product: DEFAULT_PRODUCT,
  fill_limit_percentage: PRODUCTS[DEFAULT_PRODUCT].fillLimit,
  has_own_limit: false,
};

/**
 * Returns the level to which a truck fills a tank. The planner's choice is used for liquefied gas, whose limit depends on the country.
 * Other products, and tanks with their own limit, are filled to their limit.
 */
export const fillToOf = (
  { product, fill_limit_percentage: limit, has_own_limit }: TankContents,
  chosen: number,
): number => (PRODUCTS[product].hazard === 'gas' && !has_own_limit ? chosen : limit);

/**
 * Returns true if a truck may deliver to a tank. People write the product of a truck as free text; a text without a known product
 * excludes no tank. A mix of liquefied gases matches each of them, because most people call all of them LP gas.
 */
export function isDeliveredBy(truckProduct: string | null, product: Product): boolean {
  const named = truckProduct === null ? null : productNamed(truckProduct);
  const isMix = named === 'lpg_mix' || product === 'lpg_mix';
  return named === null || named === product || (isMix && PRODUCTS[named].hazard === PRODUCTS[product].hazard);
}

/**
 * Returns the organization's own safety steps if they apply to a product. They are written for the default product, and another hazard
 * needs other steps. Null if they do not apply, or if the organization has none.
 */
export const ownStepsFor = (
  product: Product,
  defaultProduct: Product,
  steps: readonly string[] | null,
): readonly string[] | null => (PRODUCTS[product].hazard === PRODUCTS[defaultProduct].hazard ? steps : null);

/** The nouns for products in sentences: "losing gas", "Para pedir agua". */
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

/** Returns the product for a text about several tanks: the first one if all have the same noun, otherwise `other`. */
export function commonProduct(products: readonly Product[]): Product | undefined {
  const [first, ...others] = products;
  const nounOf = (product: Product): string => PRODUCT_NOUNS.en[product];
  return first === undefined || others.every((other) => nounOf(other) === nounOf(first)) ? first : 'other';
}

/** Writes a word as the first word of a label. */
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

/** Returns the product that a text names; null for an unknown text. */
export function productNamed(text: string): Product | null {
  const word = text.trim().normalize().toLowerCase();
  if (isProduct(word)) return word;
  for (const [product, words] of Object.entries(PRODUCT_WORDS))
    if (isProduct(product) && words.includes(word)) return product;
  return null;
}
