import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { chromium } from 'playwright-core';
import { describe, expect } from 'vitest';
import { openApiDocument } from '../../src/api/openapi.ts';
import { READS } from '../../src/api/reads.ts';
import { test } from '../support/test.ts';

const CHROMIUM = '/usr/bin/chromium';

test('the committed openapi.json is what the code says (else: npm run openapi)', async ({ api }) => {
  const committed = JSON.parse(await readFile(new URL('../../openapi.json', import.meta.url), 'utf8'));
  expect(JSON.parse(JSON.stringify(openApiDocument('')))).toEqual(committed);
  expect((await api.call('/openapi.json')).json).toEqual(committed);
});

test('it documents exactly the five reads, each with every error, and every reference leads somewhere', async ({
  api,
}) => {
  const { json: document } = await api.call('/openapi.json');
  expect(Object.keys(document.paths)).toEqual([
    '/v1/customers',
    '/v1/customers/{id}',
    '/v1/tanks',
    '/v1/tanks/{id}',
    '/v1/tanks/{id}/telemetry',
  ]);
  for (const [path, methods] of Object.entries<Record<string, { responses: object }>>(document.paths)) {
    expect(Object.keys(methods)).toEqual(['get']);
    const statuses = [
      '200',
      '304',
      '400',
      '401',
      '403',
      '405',
      '415',
      '422',
      '429',
      '500',
      '503',
      ...(path.includes('{id}') ? ['404'] : []),
    ];
    expect(Object.keys(methods['get']?.responses ?? {}).toSorted()).toEqual(statuses.toSorted());
  }
  for (const [, pointer = ''] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const target = pointer.split('/').reduce<unknown>((node, key) => Reflect.get(Object(node), key), document);
    expect(target, pointer).toBeTypeOf('object');
  }
});

test('every example has exactly the fields of its schema', () => {
  for (const read of READS) expect(Object.keys(read.example)).toEqual(Object.keys(read.item.properties));
});

describe.runIf(existsSync(CHROMIUM))('the API reference in a real browser', () => {
  test('renders every operation, leads to the guides, and fetches nothing from outside', { timeout: 60_000 }, async ({
    api,
  }) => {
    const flags = [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ];
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: flags });
    try {
      const page = await browser.newPage();
      const outside: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => {
        if (!request.url().startsWith(api.url) && !/^(data|blob):/.test(request.url())) outside.push(request.url());
      });
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      await page.goto(`${api.url}/docs`, { waitUntil: 'networkidle' });
      for (const read of READS) await page.getByText(read.summary).first().waitFor({ timeout: 30_000 });
      await page.getByRole('link', { name: 'For integrators' }).click();
      await page.getByRole('heading', { name: 'Keep a complete copy' }).waitFor({ timeout: 30_000 });
      await page.getByRole('link', { name: 'interface.md' }).click();
      await page.getByRole('heading', { name: 'Keys and what they can see' }).waitFor({ timeout: 30_000 });
      expect(outside).toEqual([]);
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
