import { shellWord } from './shell_word.ts';
import { columnName } from './table_reader.ts';

const DEVICE = 'sensor device dispositivo serial serie equipo medidor monitor meter gerät';
const CUSTOMER = 'clave cliente customer account acct cuenta kundennummer kunde';
const EMAIL = 'correo email e-mail mail';
const PHONE = 'teléfono phone tel celular móvil telefon';
const OTHER_PHONES = 'teléfonos phones';

/**
 * Words of headings in English, Spanish and German, for advice only, because a name does not prove what a column
 * contains.
 */
const HEADING_WORDS: Readonly<Record<string, string>> = {
  device_id: DEVICE,
  assigned_device_id: DEVICE,
  created_at: 'fecha date time timestamp datetime read hora zeit datum zeitpunkt',
  fill_percentage: 'nivel level fill llenado porcentaje percentage percent % füllstand',
  external_key: CUSTOMER,
  owner: CUSTOMER,
  email: EMAIL,
  customer_email: EMAIL,
  name: 'nombre name bezeichnung',
  customer_name: 'nombre name cliente customer kunde razón',
  phone: PHONE,
  customer_phone: PHONE,
  other_phones: OTHER_PHONES,
  customer_other_phones: OTHER_PHONES,
  custom_id: 'núm número tanque tank depósito nº no number nummer',
  capacity: 'capacidad capacity size volumen volume inhalt',
  capacity_unit: 'unidad unit units einheit',
  min_fill_alert_percentage: 'alerta umbral mínimo threshold alert alarm schwelle',
  order_threshold_percentage: 'pedido pedir order reorder bestellen bestellschwelle',
  use_case: 'uso use verwendung',
  product: 'producto product fuel combustible gas produkt',
  fill_limit_percentage: 'límite limit',
  city: 'ciudad city town municipio localidad población ort stadt',
  street: 'calle street address dirección domicilio straße',
  postal_code: 'cp zip postal postcode plz',
  district: 'colonia district barrio',
  region: 'estado state region provincia',
  country: 'país country land',
  latitude: 'lat latitude latitud',
  longitude: 'lon lng long longitude longitud',
  number: 'folio nota factura remisión note number invoice ticket beleg nummer lieferschein',
  at: 'fecha date time timestamp datetime hora zeit datum zeitpunkt',
  volume: 'litros volumen cantidad volume quantity litres liters gallons galones menge liter',
};

/** Options that may map the missing columns to those of the file, such as --column created_at=Fecha; empty if none is likely. */
export function suggestColumns(
  header: readonly string[],
  missing: readonly string[],
): [ours: string, theirs: string][] {
  const headings = new Map(
    header.map((heading) => [heading.trim().replaceAll(/\s+/g, ' '), wordsOf(heading).map(plain)]),
  );
  return missing.flatMap((ours): [string, string][] => {
    const words = new Set((HEADING_WORDS[ours] ?? '').split(' ').map(plain));
    const found = headings.entries().find(([, ofHeading]) => ofHeading.some((word) => words.has(word)))?.[0];
    if (found === undefined) return [];
    headings.delete(found);
    return [[ours, found]];
  });
}

const UNITS = {
  gallons: 'gal gals gallon gallons galones galón',
  liters: 'l lt lts ltr liter liters litre litres litro litros',
};

/** The unit that a heading names, as in "Size (gal)". */
export function unitOfHeading(heading: string): keyof typeof UNITS | undefined {
  const words = new Set(wordsOf(heading).map(plain));
  const has = (list: string): boolean => list.split(' ').some((word) => words.has(plain(word)));
  const named = (['gallons', 'liters'] as const).filter((unit) => has(UNITS[unit]));
  return named.length === 1 ? named[0] : undefined;
}

const wordsOf = (heading: string): string[] => columnName(heading).split(/[^\p{L}\p{M}\p{N}%º-]+/u);

/** Removes accents, because files of old programs have none. */
const plain = (word: string): string => word.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** The sentence for a message; empty if nothing is likely. */
export function columnAdvice(header: readonly string[], missing: readonly string[]): string {
  const pairs = suggestColumns(header, missing);
  if (pairs.length === 0) return '';
  return ` Perhaps: ${pairs.map(([ours, theirs]) => `--column ${shellWord(`${ours}=${theirs}`)}`).join(' ')}`;
}
