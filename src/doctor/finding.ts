import type { Pool } from 'pg';

/** One thing that is wrong with an installation, in a sentence, and what to do about it. */
export interface Fault {
  problem: string;
  remedy: string;
  /** It was mended just now. */
  fixed: boolean;
  /** While this is so, looking further would only repeat it in other words. */
  blocks?: true;
}

/** A fault, and which check found it. */
export interface Finding {
  check: string;
  problem: string;
  remedy: string;
  fixed: boolean;
}

/** What a check is given. */
export interface CheckContext {
  pool: Pool;
  /** Mend what can be mended without losing anything. */
  fix: boolean;
  /** How far a long check has come. */
  progress: (text: string) => void;
}

export interface Check {
  name: string;
  faults: (examination: CheckContext) => Promise<Fault[]>;
}

/** A fault that only a person can mend. */
export const fault = (problem: string, remedy: string): Fault => ({ problem, remedy, fixed: false });

/** Everything of one kind in one sentence: a counter that is wrong a million times is one fault, not a million. */
export function firstOfMany(first: string, count: number): string {
  return count === 1 ? first : `${first}; and ${(count - 1).toLocaleString('en')} more like it`;
}

/** A month as people write it, from its first moment: 2025-02. */
export const monthName = (month: string): string => month.slice(0, 7);

/** 1 tank, 2,300 tanks. */
export const amount = (n: number, things: string): string =>
  `${n.toLocaleString('en')} ${n === 1 ? things.slice(0, -1) : things}`;
