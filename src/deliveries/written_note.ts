import { NOTE_FIELDS } from './delivery_note_fields.ts';

const MAX_LENGTH = 60;

/**
 * Series and number of a delivery note as a driver or the office types them: `A-20379`, `A 20379`, `20379`. Undefined if it is not the
 * number of a note.
 */
export function parseWrittenNote(text: string): { series: string; number: string } | undefined {
  const parsed = NOTE_FIELDS.number(text);
  if (!('value' in parsed) || parsed.value.length > MAX_LENGTH) return undefined;
  const [, series = '', number = parsed.value] = /^(\p{L}{1,10})[\s./-]*(\d.*)$/u.exec(parsed.value) ?? [];
  return { series: series.toUpperCase(), number };
}
