import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** What a test needs to start another program, to open a browser, or to use the engines that all tests share. */
const NEEDS_ENGINE = /from '(node:child_process|playwright-core)'|^import \{[^}]*\binject\b[^}]*\} from 'vitest'/m;

/** Values that a file imports. A type is gone when the file runs. */
const IMPORT = /^(?:import|export)\s(?!type\s)[^;'"]*?from\s'(\.[^']+)'|import\('(\.[^']+)'\)/gm;

/**
 * The test files from which no import leads to an engine. They need no list: a file that begins to use an engine leaves this
 * one by itself.
 */
export function findUnitTests(): string[] {
  const sources = new Map<string, { needsEngine: boolean; imports: string[] }>();
  const read = (file: string) => {
    const text = /\.tsx?$/.test(file) ? readFileSync(file, 'utf8') : '';
    const imports = [...text.matchAll(IMPORT)].map(([, from, dynamic]) => join(dirname(file), from ?? dynamic ?? ''));
    const source = { needsEngine: NEEDS_ENGINE.test(text), imports };
    sources.set(file, source);
    return source;
  };
  const leadsToEngine = (testFile: string): boolean => {
    const reached = new Set([testFile]);
    for (const file of reached) {
      const { needsEngine, imports } = sources.get(file) ?? read(file);
      if (needsEngine) return true;
      for (const imported of imports) reached.add(imported);
    }
    return false;
  };
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !leadsToEngine(join(ROOT, 'test', file)))
    .map((file) => join('test', file))
    .toSorted();
}
