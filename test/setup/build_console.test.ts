import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isConsoleOutdated } from '../../src/setup/build_console.ts';

test('a console that is older than one of its sources is outdated, as after another release is checked out', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tankwatch-console-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, seconds] of [['src/page.tsx', 100] as const, ['dist/index.html', 200] as const]) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), '');
    utimesSync(join(folder, name), seconds, seconds);
  }
  expect(await isConsoleOutdated(folder)).toBe(false);
  utimesSync(join(folder, 'src/page.tsx'), 300, 300);
  expect(await isConsoleOutdated(folder)).toBe(true);
});
