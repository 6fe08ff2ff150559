import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isConsoleOutdated } from '../../src/setup/build_console.ts';
import { givenFolder } from '../support/folder.ts';

test('a console that is older than one of its sources is outdated, as after another release is checked out', async () => {
  const folder = await givenFolder();
  for (const [name, seconds] of [['src/page.tsx', 100] as const, ['dist/index.html', 200] as const]) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), '');
    utimesSync(join(folder, name), seconds, seconds);
  }
  expect(await isConsoleOutdated(folder)).toBe(false);
  utimesSync(join(folder, 'src/page.tsx'), 300, 300);
  expect(await isConsoleOutdated(folder)).toBe(true);
});
