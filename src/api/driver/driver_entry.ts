import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { MAX_VOLUME, NOT_POSSIBLE_REASONS } from '../../deliveries/round.ts';
import { parseWrittenNote } from '../../deliveries/written_note.ts';
import { malformed } from '../../http/problem.ts';
import { orZero } from '../../values/decimal.ts';
import { COMMON_ERA_MS, parseIsoTime } from '../../values/time.ts';
import { parseBody } from '../json_body.ts';
import { Closed, orNull } from '../schemas/values.ts';

/** A driver's report about a stop, as the driver's page sends it. */
const EntryBody = Closed({
  stop: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  tank_id: Type.String({ format: 'uuid' }),
  kind: Type.Union([Type.Literal('delivered'), Type.Literal('not_possible'), Type.Literal('reopened')]),
  volume: orNull(Type.Number({ exclusiveMinimum: 0, maximum: MAX_VOLUME })),
  unit: orNull(Type.Union([Type.Literal('liters'), Type.Literal('gallons')])),
  reason: orNull(Type.Union(NOT_POSSIBLE_REASONS.map((reason) => Type.Literal(reason)))),
  comment: orNull(Type.String({ minLength: 1, maxLength: 500 })),
  note: orNull(Type.String()),
  filled_to: orNull(Type.Number({ minimum: 0, maximum: 100 })),
  at: Type.String({ maxLength: 40 }),
});

const compiled = Compile(EntryBody);
const EXPECTED =
  'Send a JSON object with stop, tank_id, kind (delivered with volume and unit, not_possible with reason, or reopened), ' +
  'volume, unit, reason, comment, note (number of the delivery note), filled_to (level on the dial, in percent) and at (in the years 1970 to 9999); null for what does not apply.';

/** Parses an entry. Throws 400, also for a comment with U+0000, which PostgreSQL cannot store. */
export function parseDriverEntry(text: unknown) {
  const entry = parseBody(compiled, text, EXPECTED);
  const { kind, volume, unit, reason, comment, note, filled_to: filledTo, at } = entry;
  const parsedNote = note === null ? null : parseWrittenNote(note);
  if (parsedNote === undefined) throw malformed(EXPECTED);
  const isComplete =
    (kind === 'delivered') === (volume !== null) &&
    (volume === null) === (unit === null) &&
    (kind === 'not_possible') === (reason !== null) &&
    (filledTo === null || kind === 'delivered') &&
    (note === null || kind === 'delivered');
  if (!isComplete || !isStorableTime(at) || comment?.includes('\0')) throw malformed(EXPECTED);
  return { ...entry, note: parsedNote, filled_to: filledTo === null ? null : orZero(filledTo) };
}

/**
 * Whether a time can be stored. Only the years 1970 to 9999 are accepted, because the clock of a phone may have any
 * year. The last millisecond is excluded, because PostgreSQL rounds its fractions up to the year 10000.
 */
export function isStorableTime(text: string): boolean {
  const parsed = parseIsoTime(text);
  return parsed !== undefined && parsed.ms >= 0 && parsed.ms < COMMON_ERA_MS.last;
}
