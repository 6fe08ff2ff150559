import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { Value } from 'typebox/value';

/** The text is not a cursor, or it is one of another list. */
export class ForeignCursor extends Error {}

const Cursor = Type.Tuple([Type.String(), Type.Array(Type.Union([Type.String(), Type.Number()]))]);

/** The types of the columns that a list is sorted by. */
export type SortType = 'date' | 'smallint' | 'int' | 'bigint' | 'xid8';

/** A position in a list, as an opaque text. It is valid only with the same `identity`: the list it was made for. */
export const encodeCursor = (position: readonly (string | number)[], identity: string): string =>
  Buffer.from(JSON.stringify([check(identity), position])).toString('base64url');

export function decodeCursor(text: string, identity: string, types: readonly SortType[]): (string | number)[] {
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    throw new ForeignCursor();
  }
  if (!Value.Check(Cursor, content) || content[0] !== check(identity)) throw new ForeignCursor();
  const position = content[1];
  if (position.length !== types.length || !position.every((value, at) => isOfType(value, types[at])))
    throw new ForeignCursor();
  return position;
}

/** A cursor comes from outside: PostgreSQL must be able to read its values. */
function isOfType(value: string | number, type: SortType | undefined): boolean {
  switch (type) {
    case 'smallint':
    case 'int':
      return Number.isInteger(value) && Math.abs(Number(value)) < (type === 'int' ? 2 ** 31 : 2 ** 15);
    case 'bigint':
    case 'xid8':
      return typeof value === 'string' && /^[0-9]{1,18}$/.test(value);
    case 'date':
      return typeof value === 'string' && (/^-?infinity$/.test(value) || isDate(value));
    default:
      return false;
  }
}

const isDate = (text: string): boolean =>
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(text).toISOString().startsWith(text);

/** Not a signature: a cursor grants nothing, the scope of the key is part of every statement. */
const check = (identity: string): string => createHash('sha256').update(identity).digest('base64url').slice(0, 8);
