import { dirname } from 'node:path';
import type { SettingReader } from './setting_reader.ts';

/**
 * Folders of this machine whose disk must not be full, by the name of the setting. A folder is empty if its setting is
 * not set here, because it is on another machine.
 */
export function diskFolders(setting: SettingReader): Readonly<Record<string, string>> {
  const removalsFile = setting.text('REMOVALS_FILE', '');
  return {
    PGDATA: setting.text('PGDATA', ''),
    NATS_DATA: setting.text('NATS_DATA', ''),
    REMOVALS_FILE: removalsFile === '' ? '' : dirname(removalsFile),
  };
}
