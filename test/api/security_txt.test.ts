import { pino } from 'pino';
import { expect } from 'vitest';
import { serveApi } from '../../src/api/serve.ts';
import { readApiConfig } from '../../src/settings/api_settings.ts';
import { callApi } from '../support/http.ts';
import { type TestDatabase, test, untilTestEnds } from '../support/test.ts';

async function startApi({ urls }: TestDatabase, settings: Record<string, string>): Promise<string> {
  const config = readApiConfig({
    API_DATABASE_URL: urls.api,
    API_HOST: '127.0.0.1',
    API_PORT: '0',
    API_DRAIN_MS: '0',
    ...settings,
  });
  const api = await untilTestEnds(serveApi(config, pino({ level: 'silent' })));
  return api.url;
}

test('security.txt names the contact of the operator and expires within a year, and without a contact it is 404', async ({
  database,
}) => {
  const url = await startApi(database, {
    SECURITY_CONTACT: 'security@example.com',
    PUBLIC_URL: 'https://tanks.example.com/',
  });
  const { status, headers, text } = await callApi(url, '/.well-known/security.txt');
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(text).toContain('Contact: mailto:security@example.com\n');
  expect(text).toContain('Canonical: https://tanks.example.com/.well-known/security.txt\n');
  const expiresMs = Date.parse(/^Expires: (.+)$/m.exec(text)?.[1] ?? '');
  expect(expiresMs).toBeGreaterThan(Date.now());
  expect(expiresMs).toBeLessThan(Date.now() + 365 * 86_400_000);

  const silent = await startApi(database, {});
  expect((await callApi(silent, '/.well-known/security.txt')).status).toBe(404);
  expect(() => readApiConfig({ API_DATABASE_URL: 'postgres://x', SECURITY_CONTACT: 'call me' })).toThrow(
    /SECURITY_CONTACT/,
  );
});

test('documents, pages, errors and links are sent with the security headers', async ({ api }) => {
  const answers = [
    await api.call('/openapi.json'),
    await api.call('/docs/'),
    await api.call('/healthz'),
    await api.call('/nothing'),
    await api.call('/v1/tanks'),
    await api.call('/v1/tanks', { method: 'DELETE' }),
    await api.call('/links/x'),
  ];
  for (const { headers } of answers) {
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['referrer-policy']).toBe('no-referrer');
  }
});
