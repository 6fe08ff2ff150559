import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { program } from '../../src/main.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The subcommands that may be left out. */
const DEFAULTS: Readonly<Record<string, string>> = { backup: 'create', restore: 'from' };

/** Subcommands and options that the command line does not have. */
function unknownWords(command: Command, words: readonly string[]): string[] {
  const [first = '', ...rest] = words;
  const sub = command.commands.find((candidate) => candidate.name() === first);
  if (sub) return unknownWords(sub, rest);
  const defaultCommand = command.commands.find((candidate) => candidate.name() === DEFAULTS[command.name()]);
  if (defaultCommand && first !== '') return unknownWords(defaultCommand, words);
  // A document may name a group of commands, such as `tankwatch webhooks`.
  if (command.commands.length > 0) return first === '' || first.startsWith('--') ? [] : [first];
  return words
    .map((word) => word.replace(/[=.,:;)].*$/, ''))
    .filter((word) => /^--[a-z]/.test(word) && !command.options.some(({ long }) => long === word));
}

test('every command that a document names exists, with its options', async () => {
  const files = await Array.fromAsync(glob('{*.md,{docs,packages}/**/*.md}', { cwd: ROOT }));
  const unknown: string[] = [];
  let count = 0;
  for (const file of files.filter((path) => !path.includes('node_modules') && path !== 'CHANGELOG.md')) {
    const text = (await readFile(join(ROOT, file), 'utf8')).replaceAll(/\\\n\s+/g, '');
    for (const [, line = ''] of text.matchAll(/(?:^\$ |`)tankwatch ([^`\n#|<>]+)/gm)) {
      count++;
      const words = unknownWords(program, line.trim().split(/\s+/));
      if (words.length > 0) unknown.push(`${file}: tankwatch ${line}: ${words.join(' ')}`);
    }
  }
  expect(count).toBeGreaterThan(150);
  expect(unknown).toEqual([]);
});
