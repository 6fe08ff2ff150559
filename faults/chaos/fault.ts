import type { Part } from './installation.ts';

/** Something that fails for some seconds and then works again. */
export interface Fault {
  name: string;
  begin(): Promise<void>;
  end(): Promise<void>;
  /** Roles that cannot do their work meanwhile, and must say so. All others must stay ready. */
  unable: readonly Part[];
  /** Roles that may notice the fault or not. Nothing is checked of them while it lasts. */
  undecided: readonly Part[];
  /** The fault lasts at least this long, and until all unable roles have said that they are not ready. */
  holdMs: number;
  /** Whether one gateway, one writer and everything between them work meanwhile, so that readings must be committed. */
  isPartial: boolean;
}

/** Creates a fault. By default it lasts 3 seconds, and all roles must stay ready and commit readings. */
export function fault(
  name: string,
  given: Pick<Fault, 'begin' | 'end'> & Partial<Pick<Fault, 'unable' | 'undecided' | 'holdMs' | 'isPartial'>>,
): Fault {
  return { unable: [], undecided: [], holdMs: 3_000, isPartial: true, ...given, name };
}
