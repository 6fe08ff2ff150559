import type { Part } from './installation.ts';

/** Something that fails for some seconds and then works again. */
export interface Fault {
  name: string;
  begin(): Promise<void>;
  end(): Promise<void>;
  /** Roles that cannot work during the fault, and must not be ready. All others must stay ready. */
  unable: readonly Part[];
  /** Roles that may or may not notice the fault. Their readiness is not checked during the fault. */
  undecided: readonly Part[];
  /** The fault lasts at least this long, and until no unable role is ready. */
  holdMs: number;
  /** Whether one gateway, one writer and everything between them work during the fault, so that readings must be committed. */
  isPartial: boolean;
}

/** Creates a fault. By default it lasts 3 seconds, and all roles must stay ready and commit readings. */
export function fault(
  name: string,
  given: Pick<Fault, 'begin' | 'end'> & Partial<Pick<Fault, 'unable' | 'undecided' | 'holdMs' | 'isPartial'>>,
): Fault {
  return { unable: [], undecided: [], holdMs: 3_000, isPartial: true, ...given, name };
}
