import { fillLimitOf, productOf, type TankContents } from '../values/products.ts';

/** SQL expression: the product of a tank `t`, or the default product of its organization. */
export const productSql = (t: string): string =>
  `coalesce(${t}.product, (select default_product from organizations where no = ${t}.organization_no))`;

/** SQL columns: the product of a tank `t` or its organization's default, and the tank's own fill limit. */
export const productColumns = (t: string): string => `${productSql(t)} as product, ${t}.fill_limit_percentage`;

export interface ProductColumns {
  product: string | null;
  fill_limit_percentage: number | null;
}

/** The product in a tank, and the level to which the tank may be filled. */
export const productFields = (columns: ProductColumns): TankContents => ({
  product: productOf(columns.product),
  fill_limit_percentage: fillLimitOf(columns),
  has_own_limit: columns.fill_limit_percentage !== null,
});
