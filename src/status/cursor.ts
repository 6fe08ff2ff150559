import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { COMMON_ERA_MS } from '../values/time.ts';

/** The text is not a cursor, or it belongs to another list. */
export class InvalidCursorError extends Error {}

const Cursor = Type.Tuple([Type.String(), Type.Array(Type.Union([Type.String(), Type.Number()]))]);

/** The types of the columns that a list is sorted by. */
export type SortType = 'date' | 'smallint' | 'int' | 'bigint' | 'unix_ms' | 'text';

/** A position in a list, as an opaque text. It is valid only with the same `identity`: the list it was made for. */
export const encodeCursor = (position: readonly (string | number)[], identity: string): string =>
  Buffer.from(JSON.stringify([check(identity), position])).toString('base64url');

export function decodeCursor(text: string, identity: string, types: readonly SortType[]): (string | number)[] {
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    throw new InvalidCursorError();
  }
  if (!Value.Check(Cursor, content) || content[0] !== check(identity)) throw new InvalidCursorError();
  const position = content[1];
  const isReadable = types.every((type, at) => HAS_TYPE[type](position[at] ?? ''));
  if (position.length !== types.length || !isReadable) throw new InvalidCursorError();
  return position;
}

/** A cursor comes from outside: PostgreSQL must be able to read its values. */
const HAS_TYPE: Readonly<Record<SortType, (value: string | number) => boolean>> = {
  smallint: (value) => Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 15,
  int: (value) => Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31,
  bigint: (value) => typeof value === 'string' && /^[0-9]{1,18}$/.test(value),
  unix_ms: (value) => typeof value === 'string' && /^[0-9]{1,15}$/.test(value) && Number(value) <= COMMON_ERA_MS.last,
  text: (value) => typeof value === 'string' && !value.includes('\0') && value.isWellFormed(),
  date: (value) => typeof value === 'string' && (/^-?infinity$/.test(value) || isDate(value)),
};

const isDate = (text: string): boolean =>
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) &&
  !text.startsWith('0000') && // a year of JavaScript, but not of PostgreSQL
  !Number.isNaN(Date.parse(text)) &&
  new Date(text).toISOString().startsWith(text);

/** A checksum and not a signature: a cursor grants nothing, because the scope of the key is part of every statement. */
const check = (identity: string): string => createHash('sha256').update(identity).digest('base64url').slice(0, 8);
