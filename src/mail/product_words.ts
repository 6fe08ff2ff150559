import { LEAK_WORDS } from '../values/leak_words.ts';
import { PRODUCT_NOUNS, PRODUCTS, type TankContents } from '../values/products.ts';
import type { Language } from './locale.ts';

/** The words for the product of a tank in a language. */
export const productWords = (language: Language, { product }: Pick<TankContents, 'product'>) => ({
  noun: PRODUCT_NOUNS[language][product],
  leak: LEAK_WORDS[language][PRODUCTS[product].hazard],
  isGas: PRODUCTS[product].hazard === 'gas',
});
export type ProductWords = ReturnType<typeof productWords>;
