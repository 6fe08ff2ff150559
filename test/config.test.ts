import { expect, test } from 'vitest';
import { ConfigError, readApiConfig, readOperatorConfig } from '../src/config.ts';

const URL = 'postgres://user:secret@localhost/tankwatch';

test('a role has its own address, or the common one', () => {
  expect(readApiConfig({ DATABASE_URL: URL }).databaseUrl).toBe(URL);
  expect(readApiConfig({ DATABASE_URL: 'postgres://other/x', API_DATABASE_URL: URL }).databaseUrl).toBe(URL);
  expect(readOperatorConfig({ DATABASE_URL: URL })).toEqual({ databaseUrl: URL, cell: 'a0' });
});

test('every bad variable is named at once, and no password is repeated', () => {
  const bad = { API_DATABASE_URL: 'mysql://user:secret@x', API_PORT: '0x50', LOG_LEVEL: 'loud', API_DRAIN_MS: '-1' };
  const read = (): unknown => readApiConfig(bad);
  expect(read).toThrow(ConfigError);
  for (const name of Object.keys(bad)) expect(read).toThrow(name);
  expect(read).not.toThrow('secret');
  expect(() => readOperatorConfig({ DATABASE_URL: URL, CELL: 'A' })).toThrow(/CELL must be two lower-case/);
});
