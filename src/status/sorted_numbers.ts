/** Numbers of tanks that were read in pieces, each sorted by the database, so that nobody sorts a million at once. */

/** Tanks of one statement. It reads them along an index and sorts them in memory, about 50 ms. */
const PIECE_TANKS = 10_000;

/** A row of `pieceSql`. */
export interface NumberPiece {
  /** Key and number of each tank, such as "120 4711,130 815"; null if there are none. */
  numbers: string | null;
  /** The greatest number. */
  last: number | null;
  n: number;
}

/**
 * One piece of the tanks that rows select, by their numbers: a tank whose place in the order changes meanwhile is in one piece nevertheless.
 * `rowsOf` selects `tank_no` and `key`, a number of at most 53 bits, and ends with the given text.
 */
export const pieceSql = (rowsOf: (end: string) => string): string => `
  select string_agg(p.key || ' ' || p.tank_no, ',' order by p.key, p.tank_no) as numbers, max(p.tank_no) as last, count(*)::int as n
  from (${rowsOf(`order by tank_no limit ${PIECE_TANKS}`)}) as p`;

/** A day as a part of a key, 20 bits. */
export const dayKeySql = (column: string): string =>
  `case ${column} when 'infinity' then 1048575 when '-infinity' then 0 else greatest(${column} - date '1970-01-01', 1) end`;

/** A sorted piece, and the place of its next tank. */
interface Head {
  keys: Float64Array;
  numbers: Int32Array;
  at: number;
}

/** Takes the smallest keys of all pieces first. */
export class SortedNumbers {
  readonly #pieces: Head[] = [];

  /** Returns the number after which the next piece begins; null after the last one. */
  add({ numbers, last, n }: NumberPiece): number | null {
    const pairs = numbers === null ? [] : numbers.split(',').map((pair) => pair.split(' ').map(Number));
    this.#pieces.push({
      keys: Float64Array.from(pairs, ([key = 0]) => key),
      numbers: Int32Array.from(pairs, ([, number = 0]) => number),
      at: 0,
    });
    return n < PIECE_TANKS ? null : last;
  }

  /** The next numbers; fewer than `count` at the end. A hundred pieces are a million tanks: comparing their heads is fast. */
  take(count: number): number[] {
    const taken: number[] = [];
    while (taken.length < count) {
      let best: Head | undefined;
      for (const piece of this.#pieces)
        if (piece.at < piece.keys.length && (best === undefined || isBefore(piece, best))) best = piece;
      if (best === undefined) break;
      taken.push(best.numbers[best.at++] ?? 0);
    }
    return taken;
  }
}

function isBefore(a: Head, b: Head): boolean {
  const [key = 0, other = 0] = [a.keys[a.at], b.keys[b.at]];
  return key === other ? (a.numbers[a.at] ?? 0) < (b.numbers[b.at] ?? 0) : key < other;
}
