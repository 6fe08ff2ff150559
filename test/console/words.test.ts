import { expect, test } from 'vitest';
import { en } from '../../packages/console/src/words/en.ts';
import { es } from '../../packages/console/src/words/es.ts';

/** The path of every text, with its kind: a plain text, or a function of so many values. */
function pathsOf(value: unknown, path = ''): string[] {
  if (typeof value === 'string') return value === '' ? [] : [`${path} text`];
  if (typeof value === 'function') return [`${path} ${value.length}`];
  return Object.entries(value ?? {}).flatMap(([name, inner]) => pathsOf(inner, `${path}/${name}`));
}

test('every text of the console exists in both languages, with the same values', () => {
  expect(pathsOf(en).length).toBeGreaterThan(150);
  expect(pathsOf(es)).toEqual(pathsOf(en));
});
