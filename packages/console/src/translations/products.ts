import type { Product } from '../../../../src/values/products.ts';

const en = {
  names: {
    propane: 'propane',
    butane: 'butane',
    lpg_mix: 'LP gas (mix)',
    heating_oil: 'heating oil',
    diesel: 'diesel',
    gasoline: 'gasoline',
    kerosene: 'kerosene',
    water: 'water',
    def: 'DEF (AdBlue)',
    other: 'other',
  } satisfies Record<Product, string>,
  organizationDefault: 'the default product',
};

const es: typeof en = {
  names: {
    propane: 'propano',
    butane: 'butano',
    lpg_mix: 'gas LP (mezcla)',
    heating_oil: 'gasóleo de calefacción',
    diesel: 'diésel',
    gasoline: 'gasolina',
    kerosene: 'queroseno',
    water: 'agua',
    def: 'DEF (AdBlue)',
    other: 'otro',
  },
  organizationDefault: 'el producto habitual',
};

export const PRODUCT_TEXTS = { en, es };
