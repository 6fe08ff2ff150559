import type { Pool } from 'pg';

/** One problem of an installation, and what to do about it. */
export interface CheckFinding {
  problem: string;
  remedy: string;
  /** `--fix` has just fixed it. */
  fixed: boolean;
  /** Later checks would only report consequences of this problem, so they are skipped. */
  blocks?: true;
}

/** A finding with the name of the check that made it, as it is reported. */
export interface Finding {
  check: string;
  problem: string;
  remedy: string;
  fixed: boolean;
}

export interface CheckContext {
  pool: Pool;
  /** Fix what can be fixed without losing data. */
  fix: boolean;
  /** Reports how far a long check has come. */
  progress: (text: string) => void;
}

export interface Check {
  name: string;
  run: (context: CheckContext) => Promise<CheckFinding[]>;
}

/** A finding that `--fix` cannot fix. */
export const finding = (problem: string, remedy: string): CheckFinding => ({ problem, remedy, fixed: false });

/** All problems of one kind in one sentence: a million wrong counters are one finding. */
export function firstOfMany(first: string, count: number): string {
  return count === 1 ? first : `${first}; and ${(count - 1).toLocaleString('en')} more like it`;
}

/** The name of a month, such as 2025-02, from its first moment. */
export const monthName = (month: string): string => month.slice(0, 7);

/** A number with its noun: 1 tank, 2,300 tanks. */
export const amount = (n: number, nouns: string): string =>
  `${n.toLocaleString('en')} ${n === 1 ? nouns.slice(0, -1) : nouns}`;
