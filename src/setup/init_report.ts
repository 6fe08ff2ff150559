import type { Environment } from '../settings/setting_reader.ts';
import type { DatabaseChoice } from './choose_database.ts';
import type { InstallPaths } from './install_paths.ts';
import type { Settings } from './new_settings.ts';

export interface InitOptions {
  paths: InstallPaths;
  environment: Environment;
  /** The first organization; undefined to create none. `isGiven` is false if its code and name are the defaults. */
  organization: { code: string; name: string; isGiven: boolean } | undefined;
  url: string | undefined;
  database: DatabaseChoice | undefined;
  /** The actor for the audit log. */
  actor: string;
  onStatus: (line: string) => void;
}

/** The steps that were done, and those that were not needed. */
export interface InitReport {
  done: string[];
  unchanged: string[];
  /** What was asked for and not done, with the command that does it. */
  notDone: string[];
  settings: Settings;
}
