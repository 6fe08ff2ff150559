import { readFile } from 'node:fs/promises';

/** The settings of a file in the format of postgresql.conf. */
export async function readSettings(file: string): Promise<Record<string, string>> {
  const settings: Record<string, string> = {};
  for (const line of (await readFile(file, 'utf8')).split('\n')) {
    const [, name, quoted, plain] = /^\s*([a-z_.]+)\s*=\s*(?:'([^']*)'|([^\s#']+))/.exec(line) ?? [];
    if (name !== undefined) settings[name] = quoted ?? plain ?? '';
  }
  return settings;
}
