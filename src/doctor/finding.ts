import type { Pool } from 'pg';
import type { DoctorConfig } from '../settings/command_settings.ts';

/** One problem of an installation, and what to do about it. */
export interface CheckFinding {
  problem: string;
  remedy: string;
  /** True if `--fix` has just fixed it. */
  fixed: boolean;
  /** True if the installation works, but this may break or limit it later. */
  isWarning?: true;
  /** True if there is nothing to do at the size of this installation. For a larger one it would be a warning. */
  isNote?: true;
  /** True if later checks are skipped, because they would only report consequences of this problem. */
  blocks?: true;
}

/** A finding with the name of the check that made it, as it is reported. */
export interface Finding {
  check: string;
  severity: 'note' | 'warning' | 'broken';
  problem: string;
  remedy: string;
  fixed: boolean;
}

/** The check was not made. `notChecked` says what it needs. */
export interface NotChecked {
  notChecked: string;
}

export interface CheckContext {
  pool: Pool;
  /** True to fix what can be fixed without losing data. */
  fix: boolean;
  /** True to leave long checks to the worker, which checks continuously. */
  isSampled?: boolean;
  /** Undefined if only the database is known. */
  config?: DoctorConfig | undefined;
  /** Reports how far a long check has come. */
  progress: (text: string) => void;
}

/** A check that uses the database. */
export interface DatabaseCheck {
  name: string;
  run: (context: CheckContext) => Promise<CheckFinding[]>;
}

/** A check of a server, a file or a role. It is also made while the database is unavailable. */
export interface ServiceCheck {
  name: string;
  run: (config: DoctorConfig) => Promise<CheckFinding[] | NotChecked>;
}

/** The check needs this setting, which is not set. */
export const notConfigured = (setting: string): NotChecked => ({ notChecked: `set ${setting}` });

/** A finding that `--fix` cannot fix. */
export const finding = (problem: string, remedy: string): CheckFinding => ({ problem, remedy, fixed: false });

/** A warning that `--fix` cannot fix. */
export const warning = (problem: string, remedy: string): CheckFinding => ({
  ...finding(problem, remedy),
  isWarning: true,
});

/** A note about something that matters only to a larger installation. */
export const note = (problem: string): CheckFinding => ({ ...finding(problem, 'nothing to do'), isNote: true });

/** All problems of one kind in one sentence: a million wrong counters are one finding. */
export function firstOfMany(first: string, count: number): string {
  return count === 1 ? first : `${first}; and ${(count - 1).toLocaleString('en')} more like it`;
}

/** The name of a month, such as 2025-02, from its first moment. */
export const monthName = (month: string): string => month.slice(0, 7);
