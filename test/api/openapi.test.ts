import { readFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { launchBrowser } from '../../engines/browser.ts';
import { MANAGE_OPERATIONS } from '../../src/api/manage/operations.ts';
import { GUIDE_FILES } from '../../src/api/openapi/api_reference.ts';
import { openApiDocument } from '../../src/api/openapi/openapi.ts';
import { OPERATIONS } from '../../src/api/operations.ts';
import { test } from '../support/test.ts';

test('the committed openapi.json is up to date (if not: npm run openapi)', async ({ api }) => {
  const committed = JSON.parse(await readFile(new URL('../../openapi.json', import.meta.url), 'utf8'));
  expect(JSON.parse(JSON.stringify(openApiDocument('')))).toEqual(committed);
  expect((await api.call('/openapi.json')).json).toEqual(committed);
});

test('openapi.json documents every operation with all its errors, and every $ref can be resolved', async ({ api }) => {
  const { json: document } = await api.call('/openapi.json');
  expect(Object.keys(document.paths)).toEqual([
    '/v1/customers',
    '/v1/customers/{id}',
    '/v1/tanks',
    '/v1/tanks/{id}',
    '/v1/tanks/{id}/telemetry',
    '/fleet/v1/summary',
    '/fleet/v1/tanks',
    '/fleet/v1/tanks.csv',
    '/fleet/v1/tanks/{id}',
    '/fleet/v1/tanks/{id}/series',
    '/fleet/v1/tanks/{id}/threshold_trial',
    '/fleet/v1/tanks/{id}/usage',
    '/fleet/v1/tanks/{id}/events',
    '/fleet/v1/tanks/{id}/timeline',
    '/fleet/v1/devices',
    '/fleet/v1/devices.csv',
    '/fleet/v1/events',
    '/fleet/v1/events.csv',
    '/fleet/v1/changes',
    '/fleet/v1/readings',
    '/fleet/v1/history',
    '/fleet/v1/search',
    '/fleet/v1/customers',
    '/fleet/v1/similar_customers',
    '/fleet/v1/customers/{id}/usage',
    '/fleet/v1/customers/{id}/refills',
    '/fleet/v1/delivery-notes',
    '/fleet/v1/ledger',
    '/fleet/v1/ledger.csv',
    '/fleet/v1/ledger/totals',
    '/fleet/v1/map',
    '/fleet/v1/rounds',
    '/fleet/v1/rounds/{id}',
    '/fleet/v1/settings',
    '/fleet/v1/score',
    '/fleet/v1/live',
    ...new Set(MANAGE_OPERATIONS.map(({ path: managed }) => managed.replaceAll(/:([a-z_]+)/g, '{$1}'))),
  ]);
  for (const [path, methods] of Object.entries<Record<string, { responses: object }>>(document.paths)) {
    if (path.startsWith('/manage/')) continue;
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
      ...(path === '/fleet/v1/changes' || path === '/fleet/v1/readings' ? ['410'] : []),
    ];
    expect(Object.keys(methods['get']?.responses ?? {}).toSorted()).toEqual(statuses.toSorted());
  }
  for (const [, pointer = ''] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const target = pointer.split('/').reduce<unknown>((node, key) => Reflect.get(Object(node), key), document);
    expect(target, pointer).toBeTypeOf('object');
  }
});

test('every example has exactly the required fields of its schema', () => {
  for (const { example, item } of OPERATIONS) expect(Object.keys(example)).toEqual(item.required);
  for (const { example, item, operationId } of MANAGE_OPERATIONS)
    if (item !== null) expect([operationId, Object.keys(example ?? {})]).toEqual([operationId, item.required]);
});

const readGuide = (guide: string): Promise<string> =>
  readFile(new URL(`../../docs/${GUIDE_FILES[guide]}`, import.meta.url), 'utf8');

async function firstHeading(guide: string): Promise<string> {
  const text = await readGuide(guide);
  return /^## (.*)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? '';
}

/** The anchors that the viewer gives to headings. Headings with code are left out: their anchors differ, so nothing may link to them. */
async function anchorsOf(guide: string): Promise<string[]> {
  const text = await readGuide(guide);
  return [...text.matchAll(/^##+ ([^`\n]+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, '')
      .replaceAll(/[\s_-]+/g, '-'),
  );
}

test('every link of the served guides leads to a page that is served and to a heading that it has', async ({ api }) => {
  const broken: string[] = [];
  let count = 0;
  for (const guide of Object.keys(GUIDE_FILES)) {
    const { status, text } = await api.call(`/docs/${guide}/openapi.json`);
    expect([guide, status]).toEqual([guide, 200]);
    for (const [, target = ''] of text.matchAll(/\[[^\]]+\]\(([^)\s"\\]+)\)/g)) {
      count++;
      const [, page, anchor] = /^(?:\/docs\/(\w+)\/)?(?:#description\/(.+))?$/.exec(target) ?? [];
      const isFound =
        target.startsWith('https:') ||
        target === '/openapi.json' ||
        (page !== undefined && anchor === undefined && GUIDE_FILES[page] !== undefined) ||
        (anchor !== undefined && (await anchorsOf(page ?? guide)).includes(anchor));
      if (!isFound) broken.push(`${guide}: ${target}`);
    }
  }
  expect(count).toBeGreaterThan(25);
  expect(broken).toEqual([]);
});

describe('the API reference in a real browser', () => {
  test('renders every operation, links to the guides, and loads nothing from other origins', async ({ api }) => {
    const flags = ['--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
    const browser = await launchBrowser(flags);
    try {
      const page = await browser.newPage();
      const foreignRequests: string[] = [];
      const consoleErrors: string[] = [];
      page.on('request', (request) => {
        if (!request.url().startsWith(api.url) && !/^(data|blob):/.test(request.url()))
          foreignRequests.push(request.url());
      });
      page.on('console', (message) => {
        if (message.type() === 'error') consoleErrors.push(message.text());
      });
      const response = await page.goto(`${api.url}/docs`, { waitUntil: 'networkidle' });
      const policy = response?.headers()['content-security-policy'] ?? '';
      expect(policy).not.toContain('unsafe-eval');
      for (const rule of ["frame-ancestors 'none'", "base-uri 'none'", "object-src 'none'"])
        expect(policy).toContain(rule);
      for (const { summary } of OPERATIONS) await page.getByText(summary).first().waitFor({ timeout: 120_000 });
      await page.locator('a[href="/docs/integrators/"]').first().click();
      await page.getByRole('heading', { name: await firstHeading('integrators') }).waitFor({ timeout: 120_000 });
      const anchored = '/docs/data/#description/set-how-long-data-is-kept';
      await page.goto(`${api.url}/docs/notifications/`);
      await page.locator(`a[href="${anchored}"]`).first().waitFor({ timeout: 120_000 });
      await page.goto(api.url + anchored); // a press while the page still builds itself may miss the link
      await expect
        .poll(async () => (await page.getByRole('heading', { name: 'Set how long data is kept' }).boundingBox())?.y)
        .toBeLessThan(400);
      expect(foreignRequests).toEqual([]);
      expect(consoleErrors).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
