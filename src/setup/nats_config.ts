import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROGRAM_FOLDER } from './install_paths.ts';
import type { Settings } from './new_settings.ts';

/** deploy/nats.conf for one machine: only this machine can connect, and the store is not larger than the stream needs. */
export async function natsConfigText(settings: Settings): Promise<string> {
  const monitor = new URL(settings['NATS_MONITOR_URL'] ?? '').host;
  // The store must be larger than the stream.
  const storeMib = Math.ceil(Number(settings['STREAM_MAX_MIB']) * 1.25) + 64;
  let text = await readFile(join(PROGRAM_FOLDER, 'deploy/nats.conf'), 'utf8');
  for (const [line, value] of [
    [/^listen: .*$/m, `listen: "127.0.0.1:${settings['NATS_PORT']}"`],
    [/^http: .*$/m, `http: "${monitor}"   # health`],
    [/^ {2}max_file_store: .*$/m, `  max_file_store: ${storeMib}MB`],
  ] as const) {
    if (!line.test(text)) throw new Error(`deploy/nats.conf has no line ${line}`);
    text = text.replace(line, value);
  }
  return `# Written by \`tankwatch init\` from deploy/nats.conf.\n${text}`;
}
