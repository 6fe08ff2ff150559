import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { factorPerTenfold } from '../../bench/growth/results.ts';
import { readSettings } from '../../bench/growth/settings_file.ts';

test('a factor per tenfold compares any two sizes', () => {
  expect(factorPerTenfold({ tanks: 1_000, cost: 10 }, { tanks: 10_000, cost: 13 })).toBeCloseTo(1.3);
  expect(factorPerTenfold({ tanks: 1_000, cost: 10 }, { tanks: 100_000, cost: 16.9 })).toBeCloseTo(1.3);
});

test('a settings file is read as PostgreSQL reads it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-settings-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'postgresql.conf');
  await writeFile(
    file,
    "# a comment = 1\nwal_compression = zstd  # another\nmax_wal_size=16GB\n  search_path = 'a, b'\n\n#off = on\n",
  );
  expect(await readSettings(file)).toEqual({ wal_compression: 'zstd', max_wal_size: '16GB', search_path: 'a, b' });
});
