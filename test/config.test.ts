import { expect, test } from 'vitest';
import { readApiConfig, readOperatorConfig, readWorkerConfig } from '../src/config.ts';
import { ConfigError } from '../src/settings.ts';

const URL = 'postgres://user:secret@localhost/tankwatch';

test('a role has its own address, or the common one', () => {
  expect(readApiConfig({ DATABASE_URL: URL }).databaseUrl).toBe(URL);
  expect(readApiConfig({ DATABASE_URL: 'postgres://other/x', API_DATABASE_URL: URL }).databaseUrl).toBe(URL);
  expect(readOperatorConfig({ DATABASE_URL: URL })).toEqual({ databaseUrl: URL, slot: 'a0' });
});

test('every bad variable is named at once, and no password is repeated', () => {
  const bad = { API_DATABASE_URL: 'mysql://user:secret@x', API_PORT: '0x50', LOG_LEVEL: 'loud', API_DRAIN_MS: '-1' };
  const read = (): unknown => readApiConfig(bad);
  expect(read).toThrow(ConfigError);
  for (const name of Object.keys(bad)) expect(read).toThrow(name);
  expect(read).not.toThrow('secret');
  expect(() => readOperatorConfig({ DATABASE_URL: URL, SLOT: 'A' })).toThrow(/SLOT must be two lower-case/);
});

test('mails need all of their settings or none, and their secrets are not repeated', () => {
  expect(readWorkerConfig({ DATABASE_URL: URL })).toMatchObject({
    concurrency: 1_000,
    webhooks: { allowHttp: false, allowPrivate: false, dnsServers: [] },
    mail: null,
  });
  const read = (): unknown =>
    readWorkerConfig({ DATABASE_URL: URL, SMTP_URL: 'smtp://u:hidden@h', LINK_SECRET: 'short' });
  for (const name of ['MAIL_FROM', 'PUBLIC_URL', 'LINK_SECRET']) expect(read).toThrow(name);
  expect(read).not.toThrow(/hidden|short/);
});
