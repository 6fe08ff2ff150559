import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { COMMON_ERA_MS, isDay } from '../values/time.ts';
import { isUuid } from '../values/uuid7.ts';

/** Thrown if a text is not a cursor, or if it is a cursor of another list. */
export class InvalidCursorError extends Error {}

const Cursor = Type.Tuple([Type.String(), Type.Array(Type.Union([Type.String(), Type.Number()]))]);

/** The types of the columns that a list is sorted by. */
export type SortType = 'date' | 'smallint' | 'int' | 'bigint' | 'unix_ms' | 'uuid' | 'text';

/** Encodes a position in a list as an opaque text. It is valid only for the list with the same `identity`. */
export const encodeCursor = (position: readonly (string | number)[], identity: string): string =>
  Buffer.from(JSON.stringify([checksumOf(identity), position])).toString('base64url');

/**
 * Cuts the rows of a page from `rows`, which has one row more if there is another page. `next` is the cursor to that page; null after
 * the last page.
 */
export function cutPage<Row>(
  rows: readonly Row[],
  size: number,
  identity: string,
  positionOf: (last: Row) => readonly (string | number)[],
): { page: Row[]; next: string | null } {
  const page = rows.slice(0, size);
  const last = page.at(-1);
  return { page, next: rows.length > size && last !== undefined ? encodeCursor(positionOf(last), identity) : null };
}

export function decodeCursor(text: string, identity: string, types: readonly SortType[]): (string | number)[] {
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    throw new InvalidCursorError();
  }
  if (!Value.Check(Cursor, content) || content[0] !== checksumOf(identity)) throw new InvalidCursorError();
  const position = content[1];
  const isReadable = types.every((type, index) => HAS_TYPE[type](position[index] ?? ''));
  if (position.length !== types.length || !isReadable) throw new InvalidCursorError();
  return position;
}

/** Checks the values of a cursor, which a caller can change, so that PostgreSQL can read them. */
const HAS_TYPE: Readonly<Record<SortType, (value: string | number) => boolean>> = {
  smallint: (value) => Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 15,
  int: (value) => Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31,
  bigint: (value) => typeof value === 'string' && /^[0-9]{1,18}$/.test(value),
  unix_ms: (value) => typeof value === 'string' && /^[0-9]{1,15}$/.test(value) && Number(value) <= COMMON_ERA_MS.last,
  uuid: (value) => typeof value === 'string' && isUuid(value),
  text: (value) => typeof value === 'string' && !value.includes('\0') && value.isWellFormed(),
  date: (value) => typeof value === 'string' && (/^-?infinity$/.test(value) || isStorableDay(value)),
};

/** JavaScript has the year 0000, and PostgreSQL does not. */
const isStorableDay = (text: string): boolean => isDay(text) && !text.startsWith('0000');

/** A checksum and not a signature: a cursor grants nothing, because the scope of the key is part of every statement. */
const checksumOf = (identity: string): string => createHash('sha256').update(identity).digest('base64url').slice(0, 8);
