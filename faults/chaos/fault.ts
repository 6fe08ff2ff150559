import type { Part } from './installation.ts';

/** Something that fails for some seconds and then works again. */
export interface Fault {
  name: string;
  begin(): Promise<void>;
  end(): Promise<void>;
  /** Roles that cannot do their work meanwhile, and must say so. All others must stay ready. */
  unable: readonly Part[];
  /** Roles of which nothing is demanded while it lasts: they may notice it or not. */
  undecided: readonly Part[];
  /** It lasts at least this long, and until those that are unable have said so. */
  holdMs: number;
  /** Whether one gateway, one writer and everything between them work meanwhile, so that readings must be committed. */
  isPartial: boolean;
}

/** A part is written as what it cannot do; everything that is not given is as harmless as can be. */
export function fault(
  name: string,
  given: Pick<Fault, 'begin' | 'end'> & Partial<Pick<Fault, 'unable' | 'undecided' | 'holdMs' | 'isPartial'>>,
): Fault {
  return { unable: [], undecided: [], holdMs: 3_000, isPartial: true, ...given, name };
}
