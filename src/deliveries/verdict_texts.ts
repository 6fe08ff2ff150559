import type { CapacityUnit } from '../values/capacity_unit.ts';
import { type IncomparableReason, MAX_HOURS_BETWEEN_READINGS, type NoteVerdict } from './pure/notes/note_verdict.ts';

/** The verdicts in the order in which they are shown. */
export const VERDICTS = [
  'not_consistent',
  'note_without_refill',
  'refill_without_note',
  'cannot_be_told',
  'waiting',
  'consistent',
] as const satisfies readonly Code[];
type Code = NoteVerdict['code'];
/** Never if VERDICTS lacks a code, so that the type check fails where codes are used. */
export type VerdictCode = Code extends (typeof VERDICTS)[number] ? Code : never;

export type LedgerLanguage = 'en' | 'es';

/** The texts of verdicts. A level gauge (indicador) is not a meter (medidor). The texts state a difference and never say who caused it. */
export interface VerdictTexts {
  verdicts: Readonly<Record<VerdictCode, string>>;
  reasons: Readonly<Record<IncomparableReason, string>>;
  unlikeEarlier: string;
  /** What to check if all gauges together differ from the notes. `share` is gauge / note - 1: -0.16 is 16 % less. */
  commonOffset: (share: number) => string;
  units: Readonly<Record<CapacityUnit, string>>;
  /** The columns of the month's file. */
  columns: Readonly<Record<LedgerColumn, string>>;
}

export const LEDGER_COLUMNS = [
  'date',
  'time',
  'note',
  'volume',
  'pumped',
  'gauge',
  'from',
  'to',
  'unit',
  'verdict',
  'reason',
  'truck',
  'driver',
  'tank',
  'tank_number',
  'customer',
  'customer_number',
] as const;
export type LedgerColumn = (typeof LEDGER_COLUMNS)[number];

const percent = (share: number): string => `${Math.round(100 * Math.abs(share))} %`;

export const VERDICT_TEXTS: Readonly<Record<LedgerLanguage, VerdictTexts>> = {
  en: {
    verdicts: {
      consistent: 'matches',
      not_consistent: 'does not match',
      cannot_be_told: 'cannot be compared',
      waiting: 'waiting for the gauge',
      note_without_refill: 'note without a refill',
      refill_without_note: 'refill without a note',
    },
    reasons: {
      no_sensor: 'no sensor',
      compensation_unknown: 'temperature compensation of the meter is unknown',
      gauge_in_question: 'gauge unreliable',
      readings_far_apart: `readings more than ${MAX_HOURS_BETWEEN_READINGS} hours apart`,
      nearly_empty_before: 'nearly empty before',
      nearly_full_after: 'nearly full after',
      range_too_wide: 'the range of the gauge is too wide',
      below_five_points: 'less than 5 % of the tank',
      common_offset: 'all gauges together differ from the notes',
      trucks_differ: 'trucks or drivers differ from each other',
    },
    unlikeEarlier: 'unlike its earlier deliveries',
    commonOffset: (share) =>
      `No delivery note is judged, because the gauges of all tanks together show about ${percent(share)} ${share < 0 ? 'less' : 'more'} than the notes: check the capacities and the strapping tables of the tanks, the temperature compensation of the notes, and the product.`,
    units: { liters: 'liters', gallons: 'gallons' },
    columns: {
      date: 'date',
      time: 'time',
      note: 'note',
      volume: 'volume of the note',
      pumped: 'as pumped',
      gauge: 'by the gauge',
      from: 'from',
      to: 'to',
      unit: 'unit',
      verdict: 'verdict',
      reason: 'reason',
      truck: 'truck',
      driver: 'driver',
      tank: 'tank',
      tank_number: 'tank number',
      customer: 'customer',
      customer_number: 'customer number',
    },
  },
  es: {
    verdicts: {
      consistent: 'coincide',
      not_consistent: 'no coincide',
      cannot_be_told: 'no se puede comparar',
      waiting: 'en espera del indicador',
      note_without_refill: 'nota sin recarga',
      refill_without_note: 'recarga sin nota',
    },
    reasons: {
      no_sensor: 'sin sensor',
      compensation_unknown: 'se desconoce si el medidor de la pipa compensa la temperatura',
      gauge_in_question: 'indicador no confiable',
      readings_far_apart: `lecturas con más de ${MAX_HOURS_BETWEEN_READINGS} horas entre sí`,
      nearly_empty_before: 'casi vacío antes',
      nearly_full_after: 'casi lleno después',
      range_too_wide: 'el margen del indicador es demasiado amplio',
      below_five_points: 'menos del 5 % del tanque',
      common_offset: 'los indicadores en conjunto difieren de las notas',
      trucks_differ: 'las pipas o los choferes difieren entre sí',
    },
    unlikeEarlier: 'distinta de sus entregas anteriores',
    commonOffset: (share) =>
      `No se juzga ninguna nota de entrega, porque los indicadores de todos los tanques en conjunto muestran cerca de ${percent(share)} ${share < 0 ? 'menos' : 'más'} que las notas: revise la capacidad y la tabla de aforo de los tanques, la compensación de temperatura de las notas y el producto.`,
    units: { liters: 'litros', gallons: 'galones' },
    columns: {
      date: 'fecha',
      time: 'hora',
      note: 'nota',
      volume: 'volumen de la nota',
      pumped: 'como se bombeó',
      gauge: 'según el indicador',
      from: 'desde',
      to: 'hasta',
      unit: 'unidad',
      verdict: 'resultado',
      reason: 'motivo',
      truck: 'pipa',
      driver: 'chofer',
      tank: 'tanque',
      tank_number: 'número de tanque',
      customer: 'cliente',
      customer_number: 'número de cliente',
    },
  },
};

export const languageOf = (tag: string): LedgerLanguage => (tag.startsWith('es') ? 'es' : 'en');

/** The common offset with the field names of the interface: a share, and the sentence in all languages. */
export function commonOffsetOf(
  logOffset: number | null,
): { share: number; texts: Record<LedgerLanguage, string> } | null {
  if (logOffset === null) return null;
  const share = Math.round(100 * Math.expm1(logOffset)) / 100;
  return { share, texts: { en: VERDICT_TEXTS.en.commonOffset(share), es: VERDICT_TEXTS.es.commonOffset(share) } };
}

/** The text of a reason, with a remark if the delivery is unlike earlier ones. */
export function reasonText({ reasons, unlikeEarlier }: VerdictTexts, reason: string | null, isUnlike: boolean): string {
  const known = Object.entries(reasons).find(([name]) => name === reason)?.[1];
  return [known, isUnlike ? unlikeEarlier : undefined].filter((part) => part !== undefined).join('; ');
}

/** The series and the number of a note as they are printed: A-20379. */
export const printedNumber = ({ series, number }: { series: string; number: string }): string =>
  series === '' ? number : `${series}-${number}`;
