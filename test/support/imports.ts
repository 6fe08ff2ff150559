import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Imports of values. Imports of types are left out, because they do not exist when the file runs. */
const IMPORT = /^(?:import|export)\s(?!type\s)[^;'"]*?from\s'(\.[^']+)'|import\('(\.[^']+)'\)/gm;

const sources = new Map<string, { text: string; imports: string[] }>();

function read(file: string) {
  const text = /\.tsx?$/.test(file) ? readFileSync(file, 'utf8') : '';
  const imports = [...text.matchAll(IMPORT)].map(([, from, dynamic]) => join(dirname(file), from ?? dynamic ?? ''));
  sources.set(file, { text, imports });
  return { text, imports };
}

/** A file and everything that its imports lead to, with the text of each. */
export function* followImports(file: string): Generator<{ file: string; text: string }> {
  const reached = new Set([file]);
  for (const next of reached) {
    const { text, imports } = sources.get(next) ?? read(next);
    yield { file: next, text };
    for (const imported of imports) reached.add(imported);
  }
}
