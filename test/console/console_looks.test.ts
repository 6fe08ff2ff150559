import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { scoreOrganization, storeScore } from '../../src/fleet/score_organization.ts';
import { givenWorstDay } from '../support/worst_day.ts';
import { checkPage, type Look } from './barriers.ts';
import { givenHerd } from './console_fleet.ts';
import { openConsole, openSignedIn, test } from './console_test.ts';
import { pdfPages } from './pdf_text.ts';

const DIST = fileURLToPath(new URL('../../packages/console/dist', import.meta.url));
const MAX_FIRST_LOAD_BYTES = 130_000;

/** What another language or width can break in a page that has passed all rules. */
const SOME_RULES = ['color-contrast', 'label', 'button-name', 'link-name', 'html-has-lang'] as const;

test.for([
  // 640 px are a window of 1,280 px at a zoom of 200 %.
  { width: 1280, locale: 'en-US', widths: [1440, 1280, 1024, 768, 640] },
  { width: 1280, locale: 'es-MX', widths: [1440, 1280, 1024, 768, 640], rules: SOME_RULES },
  { width: 390, locale: 'en-US', widths: [390, 320], rules: SOME_RULES },
  { width: 390, locale: 'es-MX', widths: [390, 320] },
] satisfies (Look & { width: number; locale: string })[])(
  'no page has a serious barrier or scrolls sideways, light and dark ($width px, $locale)',
  async ({ width, locale, ...checked }: Look & { width: number; locale: string }, {
    browser,
    api,
    fleet,
    database,
  }) => {
    const selection = { organizationNo: fleet.organizationNo, maxTanks: 10, days: 365 };
    const score = await scoreOrganization(database.operator, selection, Date.now());
    await storeScore(database.operator, fleet.organizationNo, score);
    // The checker is injected as a script, which the policy of the console forbids.
    const look = { viewport: { width, height: 800 }, locale, bypassCSP: true, colorScheme: 'light' as const };
    const { page: first } = await openConsole(browser, api, look);
    await first.locator('form').waitFor();
    const found = await checkPage(first, 'sign-in', checked);
    await first.context().close();

    const { page } = await openSignedIn(browser, api, { key: fleet.key, ...look });
    const pages: [string, string][] = [
      ['', '.today table'],
      ['fleet', 'tr[data-tank]'],
      ['fleet?view=map', '.in-view p, .in-view li'], // test/console/map.test.ts has more of the map
      [`tanks/${fleet.workshop.id}`, 'figure.chart canvas'],
      ['round?within=60', '.stops'],
      ['customers', '.customers tbody tr'],
      [`customers/${fleet.maria.id}`, '.refills tbody tr'],
      ['events?since=30d', '.event-table'],
      ['settings', '.command'],
      ['score', '.score'],
      ['nowhere', '.notice'],
    ];
    for (const [path, ready] of pages) {
      await page.goto(`/console/${path}`);
      await page.locator(ready).first().waitFor();
      found.push(...(await checkPage(page, path === '' ? 'today' : path, checked)));
    }
    await page.context().close();

    const { page: owner } = await openSignedIn(browser, api, { key: fleet.narrowedKey, ...look });
    await owner.locator('.owner-tank').waitFor();
    found.push(...(await checkPage(owner, 'owner', checked)));
    await owner.goto(`/console/tanks/${fleet.house.id}`);
    await owner.locator('figure.chart canvas').waitFor();
    found.push(...(await checkPage(owner, 'tank of the owner', checked)));
    await owner.context().close();
    expect(found).toEqual([]);
  },
);

test.for([
  { width: 1280, locale: 'en-US', widths: [1440, 1024, 768] },
  { width: 390, locale: 'es-MX', widths: [390, 320] },
] satisfies (Look & { width: number; locale: string })[])(
  'no state of the worst moment has a serious barrier or scrolls sideways ($width px, $locale)',
  async ({ width, locale, ...checked }: Look & { width: number; locale: string }, { browser, api, database }) => {
    const day = await givenWorstDay(database);
    const look = { viewport: { width, height: 800 }, locale, bypassCSP: true, colorScheme: 'light' as const };
    const { page } = await openSignedIn(browser, api, { key: day.key, ...look });
    const found: string[] = [];
    const states: [string, string, string][] = [
      ['a leak on the day', '', '.alarm'],
      ['the leaking tank', `tanks/${day.idOf('leak')}`, '.steps'],
      ['a gauge in question', `tanks/${day.idOf('stuck gauge')}`, 'figure.chart canvas'],
      ['an overfull truck', 'round?within=30&truck=300', '.full-line'],
      ['a section of the fleet', 'fleet?section=low', 'tr[data-tank]'],
    ];
    for (const [name, path, ready] of states) {
      await page.goto(`/console/${path}`);
      await page.locator(ready).first().waitFor();
      found.push(...(await checkPage(page, name, checked)));
    }
    const isLow = (url: URL): boolean => url.searchParams.get('section') === 'low';
    await page.route(isLow, (route) => route.fulfill({ status: 503, body: '' }));
    await page.goto('/console/');
    await page.locator('.failed').waitFor();
    found.push(...(await checkPage(page, 'a failed section', checked)));
    await page.unrouteAll();
    await page.context().setOffline(true);
    await page.locator('.old-banner').waitFor();
    found.push(...(await checkPage(page, 'an old page', checked)));
    await page.context().setOffline(false);
    await page.locator('.old-banner').waitFor({ state: 'detached' });
    await page.context().clearCookies();
    await page.locator('.ended').waitFor();
    found.push(...(await checkPage(page, 'an ended session', checked)));
    await page.context().close();

    const { page: owner } = await openSignedIn(browser, api, { key: day.ofAnn, ...look });
    await owner.locator('.safety').first().waitFor();
    found.push(...(await checkPage(owner, 'the owner of a leaking tank', checked)));
    await owner.goto(`/console/tanks/${day.idOf('leak')}`);
    await owner.locator('figure.chart canvas').waitFor();
    found.push(...(await checkPage(owner, 'the leaking tank of the owner', checked)));
    await owner.context().close();
    expect(found).toEqual([]);
  },
);

test('a round of 40 stops prints on several pages, each with the headings, and without colours', async ({
  browser,
  api,
  database,
}) => {
  const { key } = await givenHerd(database);
  const { page } = await openSignedIn(browser, api, { key, path: 'round?within=90&place=Celaya' });
  await page.locator('.stops tbody tr').first().waitFor();
  expect(await page.locator('.stops tbody tr').count()).toBe(40);
  await page.emulateMedia({ media: 'print' });
  const styles = await page.evaluate<string>(`(() => {
    const { color, backgroundColor } = getComputedStyle(document.querySelector('.badge'));
    return color + ' on ' + backgroundColor;
  })()`);
  expect(styles).toBe('rgb(0, 0, 0) on rgba(0, 0, 0, 0)');
  const pages = pdfPages(await page.pdf({ format: 'A4' }));
  expect(pages.length).toBeGreaterThanOrEqual(2);
  for (const text of pages)
    for (const heading of ['Tank', 'Level', 'Address', 'Delivered']) expect(text).toContain(heading);
  expect(pages.join('\n').match(/Ranch \d+/g)).toHaveLength(40);
  await page.context().close();
});

test('the first load has at most 130 kB, compressed, without chart and map; every file has compressed copies', async ({
  browser,
  api,
  fleet,
}) => {
  const files = (await readdir(DIST, { recursive: true })).filter((file) => /\.(js|css|html|json)$/.test(file));
  const sizes = new Map(
    await Promise.all(
      files.map(async (file): Promise<[string, number]> => [file, (await stat(join(DIST, `${file}.gz`))).size]),
    ),
  );
  const { page } = await openSignedIn(browser, api, { key: fleet.key });
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(new URL(request.url()).pathname.replace('/console/', '')));
  await page.reload();
  await page.locator('.today table').first().waitFor();
  const first = files.filter((file) => file === 'index.html' || loaded.includes(file));
  expect(first.length).toBeGreaterThanOrEqual(3);
  expect(first.filter((file) => /map|countries|level_chart/.test(file))).toEqual([]);
  const bytes = first.reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0);
  console.log(`the first load of the console: ${bytes} bytes gzipped`);
  expect(bytes).toBeLessThanOrEqual(MAX_FIRST_LOAD_BYTES);
  await page.context().close();

  const script = files.find((file) => /index-.*\.js$/.test(file));
  const response = await fetch(`${api.url}/console/${script}`, { headers: { 'accept-encoding': 'br' } });
  expect([response.headers.get('content-encoding'), response.headers.get('cache-control')]).toEqual([
    'br',
    'public, max-age=31536000, immutable',
  ]);
  const html = await fetch(`${api.url}/console/fleet`);
  expect(html.headers.get('cache-control')).toBe('no-store');
  expect(html.headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'");
  expect((await fetch(`${api.url}/console/assets/missing.js`)).status).toBe(404);
  const manifest = await fetch(`${api.url}/console/manifest.webmanifest`);
  expect(manifest.headers.get('content-type')).toContain('manifest+json');
  const { icons }: { icons: { src: string }[] } = JSON.parse(await manifest.text());
  for (const { src } of icons) expect((await fetch(`${api.url}${src}`)).headers.get('content-type')).toMatch(/^image/);
});
