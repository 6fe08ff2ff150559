import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { en } from '../../packages/console/src/words/en.ts';
import { enRound } from '../../packages/console/src/words/en_round.ts';
import { es } from '../../packages/console/src/words/es.ts';
import { esRound } from '../../packages/console/src/words/es_round.ts';
import { PEOPLE_WORDS } from '../../packages/console/src/words/people_words.ts';
import { SCORE_WORDS } from '../../packages/console/src/words/score.ts';
import { SETTINGS_WORDS } from '../../packages/console/src/words/settings_words.ts';
import { SIGN_IN_WORDS } from '../../packages/console/src/words/sign_in_words.ts';

/** The path of every text, with its kind: a plain text, or a function of so many values. */
function pathsOf(value: unknown, path = ''): string[] {
  if (typeof value === 'string') return value === '' ? [] : [`${path} text`];
  if (typeof value === 'function') return [`${path} ${value.length}`];
  return Object.entries(value ?? {}).flatMap(([name, inner]) => pathsOf(inner, `${path}/${name}`));
}

test('every text of the console exists in both languages, with the same values', () => {
  expect(pathsOf(en).length).toBeGreaterThan(150);
  expect(pathsOf(es)).toEqual(pathsOf(en));
  // Texts of pages that are loaded later.
  for (const words of [{ en: enRound, es: esRound }, PEOPLE_WORDS, SCORE_WORDS, SETTINGS_WORDS, SIGN_IN_WORDS]) {
    expect(pathsOf(words.en).length).toBeGreaterThan(5);
    expect(pathsOf(words.es)).toEqual(pathsOf(words.en));
  }
});

const SOURCE = fileURLToPath(new URL('../../packages/console/src', import.meta.url));
/** Words between tags, and attributes that people read, written in the source instead of taken from the texts. */
const TEXTS = [
  />\s*([A-Za-zÁÉÍÓÚÑáéíóúñ][^<>{}=;()]*)<\//g,
  /\}\s*([A-Za-zÁÉÍÓÚÑáéíóúñ]{2}[^<>{}=;()]*)<\//g,
  /\b(?:aria-label|title|placeholder|alt)="([^"]*[A-Za-z][^"]*)"/g,
];

test('no text of the console is outside of the two languages', async () => {
  const files = (await readdir(SOURCE, { recursive: true })).filter((file) => file.endsWith('.tsx'));
  expect(files.length).toBeGreaterThan(30);
  const found: string[] = [];
  for (const file of files) {
    const source = await readFile(join(SOURCE, file), 'utf8');
    for (const pattern of TEXTS)
      for (const [, text] of source.matchAll(pattern)) found.push(`${file}: ${text?.trim()}`);
  }
  expect(found).toEqual([]);
});

test('the search for texts finds one', () => {
  const finds = (source: string): boolean => TEXTS.some((pattern) => source.search(pattern) >= 0);
  expect(finds('<button>Save</button>')).toBe(true);
  expect(finds('<b>{count} tanks</b>')).toBe(true);
  expect(finds('<input aria-label="Name" />')).toBe(true);
  expect(finds('<b>{words.save}</b>')).toBe(false);
});
