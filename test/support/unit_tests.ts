import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { followImports } from './imports.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Imports with which a test starts another program, opens a browser, or uses the engines that all tests share. */
const NEEDS_ENGINE = /from '(node:child_process|playwright-core)'|^import \{[^}]*\binject\b[^}]*\} from 'vitest'/m;

/**
 * The test files from which no import leads to an engine. No list is kept, so a file that begins to use an engine is left out at
 * once.
 */
export function findUnitTests(): string[] {
  const leadsToEngine = (testFile: string): boolean =>
    followImports(join(ROOT, 'test', testFile)).some(({ text }) => NEEDS_ENGINE.test(text));
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !leadsToEngine(file))
    .map((file) => join('test', file))
    .toSorted();
}
