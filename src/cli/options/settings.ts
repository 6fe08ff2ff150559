import type { Command } from 'commander';
import { withSettingsFile } from '../../settings/settings_file.ts';

/** The commands that write the settings file, and so do not read it first: `init`, and `restore` (`restore from`). */
const FILE_WRITERS: ReadonlySet<string> = new Set(['init', 'from']);

/** Makes every command read the settings file before it runs. Environment variables take precedence. */
export function readSettingsFirst(program: Command): void {
  forEachLeaf(program, (command) => {
    if (!FILE_WRITERS.has(command.name()))
      command.option(
        '--config <file>',
        'the settings file (default: TANKWATCH_CONFIG, or the one of `tankwatch init`)',
      );
  });
  program.hook('preAction', (_, command) => {
    if (FILE_WRITERS.has(command.name())) return;
    process.env = { ...withSettingsFile(process.env, command.opts<{ config?: string }>().config) };
  });
}

function forEachLeaf(command: Command, work: (leaf: Command) => void): void {
  if (command.commands.length === 0) work(command);
  for (const sub of command.commands) forEachLeaf(sub, work);
}
