import { shellWord } from './shell_word.ts';
import { columnName } from './table_reader.ts';

const DEVICE = 'sensor device dispositivo serial serie equipo medidor monitor meter gerät';
const CUSTOMER = 'clave cliente customer account cuenta kundennummer kunde';

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
  email: 'correo email e-mail mail',
  name: 'nombre name bezeichnung',
  phone: 'teléfono phone tel celular móvil telefon',
  custom_id: 'núm número tanque tank depósito nº no number nummer',
  capacity: 'capacidad capacity size volumen volume inhalt',
  capacity_unit: 'unidad unit units einheit',
  min_fill_alert_percentage: 'alerta umbral mínimo threshold alert alarm schwelle',
  use_case: 'uso use verwendung',
  city: 'ciudad city ort stadt',
  number: 'folio nota factura remisión note number invoice ticket beleg nummer lieferschein',
  at: 'fecha date time timestamp datetime hora zeit datum zeitpunkt',
  volume: 'litros volumen cantidad volume quantity litres liters gallons galones menge liter',
};

/** Options that may map the missing columns to those of the file, such as --column created_at=Fecha; empty if none is likely. */
export function suggestColumns(
  header: readonly string[],
  missing: readonly string[],
): [ours: string, theirs: string][] {
  const taken = new Set<string>();
  return missing.flatMap((ours): [string, string][] => {
    const words = new Set((HEADING_WORDS[ours] ?? '').split(' ').map(plain));
    const isLikely = (heading: string): boolean =>
      !taken.has(heading) && wordsOf(heading).some((word) => words.has(plain(word)));
    const found = header.map((heading) => heading.trim().replaceAll(/\s+/g, ' ')).find(isLikely);
    if (found === undefined) return [];
    taken.add(found);
    return [[ours, found]];
  });
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
