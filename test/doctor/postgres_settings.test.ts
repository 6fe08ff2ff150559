import { expect, onTestFinished, test } from 'vitest';
import { openPool } from '../../src/db/pool.ts';
import {
  checkSettings,
  earlyFindings,
  type InstallationSize,
  readServerSettings,
  settingFindings,
} from '../../src/doctor/postgres_settings.ts';
import { type PostgresOptions, startPostgres } from '../../src/setup/servers/postgres.ts';

const LARGE: InstallationSize = { tanks: 100_000, connections: 135, partitions: 120 };

const SMALL: InstallationSize = { tanks: 12, connections: 40, partitions: 14 };

async function examine(
  settings: Record<string, string>,
  options: PostgresOptions = {},
): Promise<{ severity: string; problem: string; remedy: string }[]> {
  const postgres = await startPostgres(settings, options);
  onTestFinished(() => postgres.stop());
  const pool = openPool({ url: postgres.url, applicationName: 'test' });
  onTestFinished(() => pool.end());
  const small = await checkSettings(pool);
  expect(small.filter(({ isNote }) => !isNote)).toEqual([]);
  const findings = settingFindings(await readServerSettings(pool), LARGE);
  return findings.map(({ isWarning, problem, remedy }) => ({
    severity: isWarning ? 'warning' : 'broken',
    problem,
    remedy,
  }));
}

test('PostgreSQL starts with the shipped settings, and doctor finds nothing to change in them', async () => {
  // These two values are those of the file. The engine for tests overrides them for small machines.
  expect(await examine({ shared_buffers: '512MB', max_wal_size: '16GB' })).toEqual([]);
});

test('doctor names each default setting that costs much, with the figure and the shipped value', async () => {
  const findings = await examine({}, { isUnconfigured: true });
  expect(new Set(findings.map(({ severity }) => severity))).toEqual(new Set(['warning']));
  expect(findings.map(({ problem }) => problem.split(' ')[0])).toEqual([
    'wal_compression',
    'checkpoint_timeout',
    'max_wal_size',
    'max_slot_wal_keep_size',
    'shared_buffers',
    'max_connections',
    'max_locks_per_transaction',
    'autovacuum_vacuum_scale_factor',
    'autovacuum_vacuum_insert_scale_factor',
    'autovacuum_vacuum_cost_limit',
    'random_page_cost',
  ]);
  expect(findings[1]).toEqual({
    severity: 'warning',
    problem: expect.stringMatching(
      /^checkpoint_timeout is 5min: .* costs 4\.2 KB of compressed WAL .*, and 1\.4 KB every 60 minutes$/,
    ),
    remedy: 'set checkpoint_timeout to 60min, as in deploy/postgresql.conf, and restart PostgreSQL',
  });
});

test('doctor reports settings that can lose acknowledged readings as broken, not as warnings', () => {
  const unsafe = ['fsync', 'full_page_writes', 'synchronous_commit', 'autovacuum'];
  const findings = settingFindings(
    unsafe.map((name) => ({ name, shown: 'off', amount: null })),
    SMALL,
  );
  expect(findings.map(({ problem }) => problem.split(':')[0])).toEqual(unsafe.map((name) => `${name} is off`));
  expect(findings.filter(({ isWarning }) => isWarning)).toEqual([]);
});

test('doctor warns if most checkpoints begin early', () => {
  expect(earlyFindings(20, 5, '4GB')).toEqual([]);
  expect(earlyFindings(0, 5, '4GB')).toEqual([]); // too few checkpoints
  expect(earlyFindings(5, 20, '4GB')).toMatchObject([
    { problem: expect.stringContaining('20 of 25 checkpoints'), isWarning: true },
  ]);
});

test('settings that cost much only in a larger installation are one note, and each is a warning from its size on', () => {
  const defaults = [
    { name: 'autovacuum_vacuum_scale_factor', shown: '0.2', amount: 0.2 },
    { name: 'checkpoint_timeout', shown: '5min', amount: 300 },
    { name: 'max_connections', shown: '100', amount: 100 },
  ];
  const found = (size: Partial<InstallationSize>): string[] =>
    settingFindings(defaults, { ...SMALL, ...size }).map(({ isNote, problem, remedy }) =>
      isNote ? `note ${remedy}: ${problem}` : `warning ${problem.split(' ')[0]}`,
    );
  expect(found({})).toEqual([
    'note nothing to do: with 12 tanks the settings of PostgreSQL are good enough; from 10,000 tanks on, take those of deploy/postgresql.conf for checkpoint_timeout, max_connections, autovacuum_vacuum_scale_factor',
  ]);
  expect(found({ connections: 61 })[0]).toBe('warning max_connections');
  expect(found({ tanks: 10_000 }).slice(0, 2)).toEqual(['warning checkpoint_timeout', 'warning max_connections']);
  expect(found({ tanks: 100_000 }).at(-1)).toBe('warning autovacuum_vacuum_scale_factor');
});
