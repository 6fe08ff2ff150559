import { expect, test } from 'vitest';
import {
  readApiConfig,
  readGatewayConfig,
  readOperatorConfig,
  readStreamConfig,
  readWorkerConfig,
  readWriterConfig,
} from '../src/config.ts';
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

test('a role has its own user at nats-server, or the common one, and an address that is wrong is not repeated', () => {
  const environment = { DATABASE_URL: URL, DEVICE_SECRET: 'x'.repeat(32), NATS_URL: 'nats://common:secret@h:4222' };
  const own = {
    GATEWAY_NATS_URL: 'nats://g@h',
    WRITER_NATS_URL: 'nats://w@h,tls://w@i',
    OPERATOR_NATS_URL: 'nats://o@h',
  };
  const urls = (given: Record<string, string>): string[] =>
    [readGatewayConfig(given).stream, readWriterConfig(given).stream, readStreamConfig(given)].map(({ url }) => url);
  expect(urls(environment)).toEqual(Array.from({ length: 3 }, () => environment.NATS_URL));
  expect(urls({ ...environment, ...own })).toEqual(Object.values(own));

  for (const NATS_URL of [
    'nats://user:secret@host:port',
    'nats://user:secret@h,http://user:secret@h',
    'nats://secret@',
  ]) {
    const read = (): unknown => readStreamConfig({ NATS_URL });
    expect(read, NATS_URL).toThrow(/^invalid configuration:\n {2}OPERATOR_NATS_URL or NATS_URL must be an address/);
    expect(read).not.toThrow('secret');
  }
});

test('mails need all of their settings or none, and their secrets are not repeated', () => {
  const SECRETS_KEY = 'k'.repeat(32);
  expect(readWorkerConfig({ DATABASE_URL: URL, SECRETS_KEY })).toMatchObject({
    concurrency: 1_000,
    webhooks: { allowHttp: false, allowPrivate: false, dnsServers: [] },
    mail: null,
  });
  const read = (): unknown =>
    readWorkerConfig({ DATABASE_URL: URL, SMTP_URL: 'smtp://u:hidden@h', LINK_SECRET: 'short', SECRETS_KEY });
  for (const name of ['MAIL_FROM', 'PUBLIC_URL', 'LINK_SECRET']) expect(read).toThrow(name);
  expect(read).not.toThrow(/hidden|short/);
});

test('a mail server on another machine must offer TLS, unless the operator decides otherwise', () => {
  const requiresTls = (SMTP_URL: string, more: Record<string, string> = {}): boolean | undefined =>
    readWorkerConfig({
      DATABASE_URL: URL,
      SECRETS_KEY: 'k'.repeat(32),
      LINK_SECRET: 'l'.repeat(32),
      MAIL_FROM: 'a@b.example',
      PUBLIC_URL: 'https://b.example',
      SMTP_URL,
      ...more,
    }).mail?.requiresTls;
  for (const url of ['smtp://localhost:25', 'smtp://127.0.0.1', 'smtp://u:p@127.0.0.1:587/', 'smtp://[::1]:25'])
    expect([url, requiresTls(url)]).toEqual([url, false]);
  for (const url of [
    'smtp://mail.example.com',
    'smtp://localhost.example.com',
    'smtp://u:p@10.0.0.2:587',
    'smtps://localhost',
  ])
    expect([url, requiresTls(url)]).toEqual([url, true]);
  expect(requiresTls('smtp://mail.example.com', { SMTP_REQUIRE_TLS: 'false' })).toBe(false);
  expect(requiresTls('smtp://localhost', { SMTP_REQUIRE_TLS: 'true' })).toBe(true);
});

test('the worker needs SECRETS_KEY, and the audit log is kept for 30 days or more', () => {
  const read = (more: Record<string, string>): unknown => readWorkerConfig({ DATABASE_URL: URL, ...more });
  expect(() => read({})).toThrow(/SECRETS_KEY must be at least 32 characters/);
  expect(() => read({ SECRETS_KEY: 'k'.repeat(32), RETENTION_AUDIT_DAYS: '29' })).toThrow(
    'RETENTION_AUDIT_DAYS must be 0 or at least 30',
  );
  expect(read({ SECRETS_KEY: 'k'.repeat(32), RETENTION_AUDIT_DAYS: '0' })).toMatchObject({
    retention: { auditDays: 0 },
  });
});
