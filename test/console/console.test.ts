import { readdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { test as base, type TestApi } from '../support/test.ts';
import { buildConsole } from './build_console.ts';
import { givenConsoleFleet } from './console_fleet.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DIST = join(ROOT, 'packages/console/dist');
const MAX_FIRST_LOAD_BYTES = 180_000;

let browser: Browser;
beforeAll(async () => {
  await buildConsole();
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
}, 120_000);
afterAll(() => browser.close());

const test = base.extend<{ $file: { fleet: Awaited<ReturnType<typeof givenConsoleFleet>> } }>({
  fleet: [async ({ database }, use) => use(await givenConsoleFleet(database)), { scope: 'file' }],
});

/** A page of its own browser profile. `faults` has every error of the console, and every request to another origin. */
async function openConsole(
  api: TestApi,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext({ baseURL: api.url, locale: 'en-US', ...options });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (message) => {
    // The browser reports every response with an error status, also that of the question whether there is a session.
    const isSession = message.location().url.endsWith('/session');
    if (message.type() === 'error' && !isSession) faults.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${api.url}/`)) faults.push(request.url());
  });
  await page.goto('/console/');
  return { page, faults };
}

async function signIn(page: Page, key: string): Promise<void> {
  await page.locator('input[type=password]').fill(key);
  await page.keyboard.press('Enter');
  await page.locator('header.top').waitFor();
}

test('a dispatcher signs in, sees the emptiest tank first, and reads its chart with the keyboard alone', async ({
  api,
  fleet,
}) => {
  const { page, faults } = await openConsole(api);
  await page.locator('input[type=password]').fill('a0wrongwrong.wrong');
  await page.keyboard.press('Enter');
  await page.getByText('This key is not valid').waitFor();
  await signIn(page, fleet.key);

  await page.getByRole('link', { name: 'Fleet', exact: true }).click();
  const rows = page.locator('tr[data-tank]');
  await rows.first().waitFor();
  expect(await rows.first().getAttribute('data-tank')).toBe(fleet.bakery.id);
  expect(await page.locator('.chip').first().innerText()).toMatch(/^All\s+5$/);

  await page.keyboard.press('/');
  await page.keyboard.type('bakery');
  await page.locator('.results li').first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/console/tanks/${fleet.bakery.id}`);
  const chart = page.locator('figure.chart');
  await chart.locator('canvas').waitFor();
  await chart.focus();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => page.locator('.readout').innerText()).toMatch(/: 12%/);
  await page.keyboard.press('+');
  await page.waitForURL('**/tanks/*?*from=*');
  await chart.focus();
  await page.keyboard.press('t');
  await page.locator('.reading-table tbody tr').first().waitFor();
  await page.goBack();
  await page.waitForURL(`**/console/tanks/${fleet.bakery.id}`);

  const kept = await page.evaluate<string>(
    'JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])',
  );
  expect(kept).not.toContain(fleet.key.slice(0, 12));
  expect(await page.evaluate('document.cookie')).toBe('');
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a silence breaks the line, and the level of a silent tank is never shown as current', async ({ api, fleet }) => {
  const { page, faults } = await openConsole(api);
  await signIn(page, fleet.key);
  await page.goto(`/console/tanks/${fleet.workshop.id}`);
  await page.locator('figure.chart canvas').waitFor();
  expect(Number(await page.locator('figure.chart').getAttribute('data-segments'))).toBeGreaterThanOrEqual(2);

  await page.goto('/console/fleet?status=silent');
  const row = page.locator(`tr[data-tank="${fleet.garage.id}"]`);
  await row.waitFor();
  expect(await row.innerText()).toContain('was 41%');
  expect(await row.locator('.fill-old').getAttribute('fill')).toMatch(/^url/);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a new reading appears without a reload, and no row moves', async ({ api, fleet }) => {
  const { page, faults } = await openConsole(api);
  await signIn(page, fleet.key);
  await page.goto('/console/fleet');
  const row = page.locator(`tr[data-tank="${fleet.hotel.id}"]`);
  await row.hover();
  await page.locator('.live-state.live').waitFor();
  const orderOf = () =>
    page.locator('tr[data-tank]').evaluateAll((rows) => rows.map((one) => one.getAttribute('data-tank')));
  const order = await orderOf();
  const readAndShow = async (): Promise<string> => {
    await fleet.ingester.ingestReadings([{ tankNo: fleet.hotel.no, atMs: Date.now(), fillPercentage: 69 }]);
    return `${await row.innerText()} ${await page.locator('.changed-note').innerText()}`;
  };
  await expect.poll(readAndShow, { timeout: 10_000, interval: 500 }).toMatch(/69%[^]*Update the order/);
  expect(await orderOf()).toEqual(order);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('the owner of a tank sees only that tank', async ({ api, fleet }) => {
  const { page } = await openConsole(api, { locale: 'es-MX', viewport: { width: 390, height: 800 } });
  await signIn(page, fleet.narrowedKey);
  await page.locator('.owner-tank').waitFor();
  expect(await page.locator('.owner-tank h2').allInnerTexts()).toEqual(['House']);
  await page.goto(`/console/tanks/${fleet.bakery.id}`);
  await page.getByText('Este tanque no existe').waitFor();
  await page.context().close();
});

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

test.for([
  { width: 1280, colorScheme: 'light', locale: 'en-US' },
  { width: 390, colorScheme: 'dark', locale: 'es-MX' },
] as const)('no page has a serious barrier ($width px, $colorScheme, $locale)', async (look, { api, fleet }) => {
  const { width, colorScheme, locale } = look;
  // The checker is injected as a script, which the policy of the console forbids.
  const { page } = await openConsole(api, { viewport: { width, height: 800 }, colorScheme, locale, bypassCSP: true });
  const check = async (name: string): Promise<void> => {
    await page.evaluate(AXE);
    const results = await page.evaluate<AxeResults>('axe.run(document, { resultTypes: ["violations"] })');
    const serious = results.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    const found = serious.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${name} ${id}: ${html}`));
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
    expect([found, Math.max(0, overflow)]).toEqual([[], 0]);
  };
  await page.locator('form').waitFor();
  await check('sign-in');
  await signIn(page, fleet.key);
  const pages = ['', 'fleet', `tanks/${fleet.workshop.id}`, 'round?within=60', 'customers'];
  for (const path of pages) {
    await page.goto(`/console/${path}`);
    await page
      .locator(path.startsWith('tanks') ? 'canvas' : 'table')
      .first()
      .waitFor();
    await check(path);
  }
  await page.context().close();
});

test('the first load has at most 180 kB, compressed, and every file has its compressed copies', async ({ api }) => {
  const files = (await readdir(DIST, { recursive: true })).filter((file) => /\.(js|css|html)$/.test(file));
  expect(files.length).toBeGreaterThanOrEqual(4);
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(DIST, `${file}.gz`))).size));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_FIRST_LOAD_BYTES);
  const script = files.find((file) => file.endsWith('.js'));
  const response = await fetch(`${api.url}/console/${script}`, { headers: { 'accept-encoding': 'br' } });
  expect([response.headers.get('content-encoding'), response.headers.get('cache-control')]).toEqual([
    'br',
    'public, max-age=31536000, immutable',
  ]);
  const page = await fetch(`${api.url}/console/fleet`);
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(page.headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'");
  expect((await fetch(`${api.url}/console/assets/missing.js`)).status).toBe(404);
});
