import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { parseJson } from '../values/json.ts';

/** The kinds in the order in which they are applied again: owners of tanks must be deleted after their tanks. */
export const REMOVAL_KINDS = [
  'key',
  'device',
  'webhook',
  'contact',
  'console',
  'unsubscribe',
  'driver',
  'tank',
  'customer',
  'organization',
] as const;

/** One line of a file of removals, with the columns of the table `removals`. */
export const Removal = Type.Object({
  id: Type.String({ format: 'uuid' }),
  at: Type.String({ format: 'date-time' }),
  kind: Type.Enum(REMOVAL_KINDS),
  organization: Type.String(),
  object: Type.String({ minLength: 1 }),
  ended_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  generation: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
});
export type Removal = Static<typeof Removal>;
const removal = Compile(Removal);

export const REMOVAL_COLUMNS = Object.keys(Removal.properties).join(', ');

export const encodeRemoval = (removed: Removal): string => `${JSON.stringify(removed)}\n`;

/** Returns undefined for a line that is not a removal. */
export function parseRemoval(line: string): Removal | undefined {
  const value = parseJson(Buffer.from(line));
  return removal.Check(value) ? value : undefined;
}
