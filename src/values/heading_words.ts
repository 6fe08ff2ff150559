import { columnName } from './headings.ts';
import { shellWord } from './shell_word.ts';

/** The words of headings for a column: `is` names its content, `about` only the object that it describes. */
interface HeadingWords {
  is: string;
  about?: string;
}

const TANK = 'tank tanque tanques depósito depósitos cuve citerne réservoir behälter serbatoio cilindro';
const OF_CUSTOMER = 'cliente clientes customer client kunde kunden kd abonado consumidor usuario';
const DEVICE: HeadingWords = {
  is: 'sensor device dispositivo serial serie equipo medidor monitor meter gerät capteur sonde télémètre seriennummer rtu',
  about: TANK,
};
const CUSTOMER: HeadingWords = {
  is: 'clave account acct cuenta kundennummer kundennr konto compte conta contrato código codigo code',
  about: OF_CUSTOMER,
};
const EMAIL: HeadingWords = { is: 'correo email e-mail mail courriel mél', about: OF_CUSTOMER };
const PHONE: HeadingWords = {
  is: 'teléfono phone tel celular móvil telefon telefone téléphone telefono handy',
  about: OF_CUSTOMER,
};
const OTHER_PHONES: HeadingWords = { is: 'teléfonos phones', about: OF_CUSTOMER };
const NAME_WORDS = 'nombre name bezeichnung nom nome désignation';
const TIME: HeadingWords = {
  is: 'fecha date time timestamp datetime hora zeit datum zeitpunkt read data horodatage reading lectura relevé',
};

/**
 * The words in English, Spanish, German, French and Portuguese, and Italian words for tanks. A heading does not prove the content of a column: its values are
 * compared too.
 */
const HEADING_WORDS: Readonly<Record<string, HeadingWords>> = {
  device_id: DEVICE,
  assigned_device_id: DEVICE,
  created_at: TIME,
  measured_at: TIME,
  fill_percentage: { is: 'nivel level fill llenado porcentaje percentage percent % füllstand niveau nível' },
  external_key: { ...CUSTOMER, is: `${CUSTOMER.is} núm número nº no number nummer nr numéro id` },
  owner: CUSTOMER,
  email: EMAIL,
  customer_email: EMAIL,
  name: { is: NAME_WORDS, about: TANK },
  customer_name: { is: `${NAME_WORDS} razón firma`, about: OF_CUSTOMER },
  phone: PHONE,
  customer_phone: PHONE,
  other_phones: OTHER_PHONES,
  customer_other_phones: OTHER_PHONES,
  custom_id: { is: 'núm número nº no number nummer nr numéro', about: TANK },
  capacity: { is: 'capacidad capacity size volumen volume inhalt capacité capacidade größe contenance', about: TANK },
  capacity_unit: { is: 'unidad unit units einheit unité unidade um', about: 'capacidad capacity' },
  min_fill_alert_percentage: { is: 'alerta umbral mínimo mín min threshold alert alarm schwelle seuil alarme limiar' },
  order_threshold_percentage: { is: 'pedido pedir order reorder bestellen bestellschwelle commande' },
  use_case: { is: 'uso use verwendung usage' },
  product: { is: 'producto product fuel combustible gas produkt produit produto' },
  fill_limit_percentage: { is: 'límite limit limite' },
  city: { is: 'ciudad city town municipio localidad población ort stadt ville commune cidade' },
  street: { is: 'calle street address dirección domicilio straße rue adresse endereço rua anschrift' },
  postal_code: { is: 'cp zip postal postcode plz cep' },
  district: { is: 'colonia district barrio bairro' },
  region: { is: 'estado state region provincia bundesland province' },
  country: { is: 'país country land pays' },
  latitude: { is: 'lat latitude latitud breite' },
  longitude: { is: 'lon lng long longitude longitud länge' },
  number: { is: 'folio nota factura remisión note number invoice ticket beleg nummer lieferschein' },
  at: TIME,
  volume: { is: 'litros volumen cantidad volume quantity litres liters gallons galones menge liter' },
};

/** Words for a number or key of any object. Beside another word, they confirm that word: "Customer no.". */
const NUMBER_WORDS = 'number no nº núm número nummer nr numéro n id code código codigo clave';

const wordSet = (list = ''): Set<string> => new Set(list.split(' ').map(plain));
const memo = new Map<string, { is: Set<string>; about: Set<string> }>();
const NUMBERS = wordSet(NUMBER_WORDS);

function wordsFor(ours: string): { is: Set<string>; about: Set<string> } {
  const known = memo.get(ours);
  if (known !== undefined) return known;
  const { is, about } = HEADING_WORDS[ours] ?? { is: '' };
  const words = { is: wordSet(is), about: wordSet(about ?? '') };
  memo.set(ours, words);
  return words;
}

/** Scores how well the words of a heading match our column; 0 if no word matches. */
function headingScore(ours: string, words: readonly string[]): number {
  const { is, about } = wordsFor(ours);
  const has = (set: ReadonlySet<string>): boolean => words.some((word) => set.has(word));
  const score = (has(is) ? 2 : 0) + (has(about) ? 1 : 0);
  return score > 0 && words.some((word) => NUMBERS.has(word) && !is.has(word)) ? score + 1 : score;
}

/** Returns true if a heading has a word for a tank. */
export const isAboutTank = (heading: string): boolean =>
  wordsOf(heading).some((word) => wordsFor('custom_id').about.has(word));
/** Returns true if all words of a heading are words for customers. */
export const isCustomer = (heading: string): boolean =>
  wordsOf(heading).every((word) => wordsFor('customer_name').about.has(word));

/**
 * Suggests a heading of the file for each missing column of ours. A heading is used once, for the pair with the best score. `fits`
 * scores the values of a column of the file; it returns 0 if they cannot belong to our column.
 */
export function suggestColumns(
  header: readonly string[],
  missing: readonly string[],
  fits: (ours: string, place: number) => number = () => 1,
): [ours: string, theirs: string][] {
  const shown = header.map((heading) => heading.trim().replaceAll(/\s+/g, ' '));
  const words = shown.map(wordsOf);
  const pairs = missing.flatMap((ours, rank) =>
    shown.flatMap((theirs, place) => {
      const fit = fits(ours, place);
      // A fit above 1 means values that only this column can have. They need no matching word.
      const score = fit === 0 ? 0 : headingScore(ours, words[place] ?? []) + fit - 1;
      return score > 0 ? [{ ours, theirs, rank, place, score }] : [];
    }),
  );
  const found = new Map<string, string>();
  const taken = new Set<number>();
  for (const { ours, theirs, place } of pairs.toSorted(
    (a, b) => b.score - a.score || a.rank - b.rank || a.place - b.place,
  )) {
    if (found.has(ours) || taken.has(place)) continue;
    found.set(ours, theirs);
    taken.add(place);
  }
  return missing.flatMap((ours): [string, string][] => {
    const theirs = found.get(ours);
    return theirs === undefined ? [] : [[ours, theirs]];
  });
}

/** The words that files use for a unit, in lower case. */
export const UNIT_WORDS = {
  liters: ['l', 'l.', 'lt', 'lt.', 'lts', 'lts.', 'ltr', 'liter', 'litre', 'litres', 'litro', 'litros'],
  gallons: ['gal', 'gal.', 'gals', 'gallon', 'galón', 'galon', 'galones', 'galões'],
} as const;

/** Returns the unit in a heading such as "Size (gal)"; undefined if there is none, or both. */
export function unitOfHeading(heading: string): keyof typeof UNIT_WORDS | undefined {
  const words = wordsOf(heading);
  const named = (['gallons', 'liters'] as const).filter((unit) =>
    words.some((word) => word === unit || UNIT_WORDS[unit].some((known) => plain(known) === word)),
  );
  return named.length === 1 ? named[0] : undefined;
}

const wordsOf = (heading: string): string[] =>
  columnName(heading)
    .replaceAll(/(?<![\p{L}])(\p{L})\.(?=\p{L}(?:\.|$))/gu, '$1') // C.P.
    .split(/[^\p{L}\p{M}\p{N}%º-]+/u)
    .map((word) => plain(word.replaceAll(/^-+|(?<!-)-+$/g, '')))
    .filter((word) => word !== '');

/** Removes accents, because files of old programs have none. */
function plain(word: string): string {
  return word.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** Returns a sentence that suggests options for missing columns; an empty text if no heading matches. */
export function columnAdvice(header: readonly string[], missing: readonly string[]): string {
  const pairs = suggestColumns(header, missing);
  if (pairs.length === 0) return '';
  return ` Perhaps: ${pairs.map(([ours, theirs]) => `--column ${shellWord(`${ours}=${theirs}`)}`).join(' ')}`;
}
