/** The number of tanks per statement. It reads them along an index and sorts them in memory, in about 50 ms. */
const PIECE_TANKS = 10_000;

/** A row of `pieceSql`. */
export interface NumberPiece {
  /** The keys and numbers of the tanks, such as "120 4711,130 815"; null if there are none. */
  numbers: string | null;
  /** The greatest number. */
  last: number | null;
  n: number;
}

/**
 * One piece of the tanks that `rowsOf` selects. Pieces are ranges of tank numbers, so a tank whose key changes meanwhile is still in one
 * piece. `rowsOf` selects `tank_no` and `key`, a number of at most 53 bits, and ends with the given text.
 */
export const pieceSql = (rowsOf: (end: string) => string): string => `
  select string_agg(p.key || ' ' || p.tank_no, ',' order by p.key, p.tank_no) as numbers, max(p.tank_no) as last, count(*)::int as n
  from (${rowsOf(`order by tank_no limit ${PIECE_TANKS}`)}) as p`;

/** SQL expression: a day as a part of a key, with 20 bits. */
export const dayKeySql = (column: string): string =>
  `case ${column} when 'infinity' then 1048575 when '-infinity' then 0 else greatest(${column} - date '1970-01-01', 1) end`;

/** A sorted piece, and the index of its next tank. */
interface SortedPiece {
  keys: Float64Array;
  numbers: Int32Array;
  next: number;
}

/** Merges pieces of tank numbers, each sorted by the database, so that no statement sorts a million numbers. */
export class SortedNumbers {
  readonly #pieces: SortedPiece[] = [];

  /** Returns the number after which the next piece begins; null after the last one. */
  add({ numbers, last, n }: NumberPiece): number | null {
    const pairs = numbers === null ? [] : numbers.split(',').map((pair) => pair.split(' ').map(Number));
    this.#pieces.push({
      keys: Float64Array.from(pairs, ([key = 0]) => key),
      numbers: Int32Array.from(pairs, ([, number = 0]) => number),
      next: 0,
    });
    return n < PIECE_TANKS ? null : last;
  }

  /** Takes the numbers with the smallest keys; fewer than `count` at the end. A million tanks are only a hundred pieces. */
  take(count: number): number[] {
    const taken: number[] = [];
    while (taken.length < count) {
      let best: SortedPiece | undefined;
      for (const piece of this.#pieces)
        if (piece.next < piece.keys.length && (best === undefined || isBefore(piece, best))) best = piece;
      if (best === undefined) break;
      taken.push(best.numbers[best.next] ?? 0);
      best.next++;
    }
    return taken;
  }
}

function isBefore(a: SortedPiece, b: SortedPiece): boolean {
  const [key = 0, other = 0] = [a.keys[a.next], b.keys[b.next]];
  return key === other ? (a.numbers[a.next] ?? 0) < (b.numbers[b.next] ?? 0) : key < other;
}
