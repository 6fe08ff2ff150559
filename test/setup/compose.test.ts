import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseSettings } from '../../src/settings/settings_file.ts';
import { writeCompose } from '../../src/setup/compose.ts';
import { deriveApiSecretsKey } from '../../src/values/api_secrets_key.ts';
import { givenFolder } from '../support/folder.ts';

const OPTIONS = { organization: { code: 'a0gas', name: 'Gas del Valle' }, url: undefined };

test('init --compose creates every secret that compose.yaml needs, and does not replace an existing one', async () => {
  const folder = await givenFolder();
  const file = join(folder, '.env');
  writeFileSync(file, 'DEVICE_SECRET=mine\nOWNER_PASSWORD=\nSECRETS_KEY_PREVIOUS=\n');
  await writeCompose(folder, OPTIONS);
  const kept = readFileSync(file, 'utf8');
  expect(kept).toMatch(/^DEVICE_SECRET=mine\nOWNER_PASSWORD=p[0-9a-f]{48}\nSECRETS_KEY_PREVIOUS=\n$/);

  rmSync(file);
  const { done } = await writeCompose(folder, OPTIONS);
  expect(done[0]).toContain('only you can read it');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const first = readFileSync(file, 'utf8');
  const settings = parseSettings(first, file);
  const compose = readFileSync(join(folder, 'compose.yaml'), 'utf8');
  const needed = [...compose.matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name);
  expect(needed.length).toBeGreaterThan(10);
  for (const name of needed) expect([name, settings[name]]).toEqual([name, expect.stringMatching(/^[a-z0-9]{49,}$/)]);
  expect(settings['API_SECRETS_KEY']).toBe(deriveApiSecretsKey(settings['SECRETS_KEY'] ?? ''));
  expect(settings).toMatchObject({ COMPOSE_PROFILES: 'init', ORGANIZATION_NAME: 'Gas del Valle' });
  expect((await writeCompose(folder, OPTIONS)).done).toEqual([]);
  expect(readFileSync(file, 'utf8')).toBe(first);
});
