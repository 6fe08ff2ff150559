import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { settingsText } from '../../src/setup/new_settings.ts';

const ROOT = join(import.meta.dirname, '../..');

test('every file of Tankwatch that a unit, a shipped configuration or the settings file names exists', () => {
  const texts = new Map([['the settings file', settingsText('', { PUBLIC_URL: '', DEVICE_SECRET: '' })]]);
  for (const folder of ['deploy/systemd', 'deploy/systemd/tankwatch-.service.d', 'deploy/nginx', 'deploy'])
    for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true }))
      if (entry.isFile()) texts.set(`${folder}/${entry.name}`, readFileSync(join(ROOT, folder, entry.name), 'utf8'));
  const dead = [...texts].flatMap(([name, text]) =>
    [...text.matchAll(/(?<![\w./-])(?:\/opt\/tankwatch\/)?((?:docs|deploy|bin|src|engines)\/[\w./-]*\w)/g)]
      .map(([, path = '']) => path)
      .filter((path) => !existsSync(join(ROOT, path)))
      .map((path) => `${name}: ${path}`),
  );
  expect(dead).toEqual([]);
});
