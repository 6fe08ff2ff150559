import { randomUUID } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { giveTrucks } from '../../engines/give_trucks.ts';
import { scoreOrganization, storeScore } from '../../src/status/score_organization.ts';
import { isThorough, isWhole } from '../support/whole_tests.ts';
import { givenWorstDay } from '../support/worst_day.ts';
import { openAs, test } from './act_test.ts';
import { findBarriers, findBarriersInThemes, layoutFaults } from './barriers.ts';
import { openConsole, openSignedIn } from './console_test.ts';

const whole = test.runIf(isWhole('console/console_looks'));

const DIST = fileURLToPath(new URL('../../packages/console/dist', import.meta.url));
const MAX_FIRST_LOAD_BYTES = 130_000;

/** 640 px are a window of 1,280 px at a zoom of 200 %. */
const WIDTHS = [1440, 1280, 1024, 768, 640, 390, 320] as const;
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 800 };

/** The rules that a narrow layout can break. It only hides, moves and colors the elements, which are checked with all rules on a desk. */
const LAYOUT_RULES = [
  'color-contrast',
  'label',
  'button-name',
  'link-name',
  'html-has-lang',
  'aria-hidden-focus',
  'scrollable-region-focusable',
] as const;

/** Opens a page without a reload, so that the console keeps what it has read, and the checker stays loaded. */
async function goTo(page: Page, path: string, ready: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', '/console/${path}')`);
  const shown = page.locator(ready).first();
  // A page whose request was refused on a stalled machine shows a button to try again. It is read again instead.
  await shown.waitFor({ timeout: 45_000 }).catch(async () => {
    await page.reload();
    await shown.waitFor();
  });
  await page.waitForFunction("document.querySelector('.skeleton') === null");
}

const languageOf = (page: Page): Promise<string> => page.evaluate<string>('document.documentElement.lang');

async function changeLanguage(page: Page): Promise<void> {
  const language = (await languageOf(page)) === 'en' ? 'es' : 'en';
  const menu = page.locator('details.menu');
  if ((await menu.count()) > 0) {
    await menu.evaluate((details) => details.setAttribute('open', ''));
    await menu.locator('select').first().selectOption(language);
    await menu.evaluate((details) => details.removeAttribute('open'));
  } else await page.locator(`.languages [lang=${language}]`).click();
  await expect.poll(() => languageOf(page)).toBe(language);
}

/** Checks both themes, but on a phone the dark one only at night, because its colors are the same as on a desk. */
const checkThemes = (page: Page, name: string, rules?: readonly string[]): Promise<string[]> =>
  rules !== undefined && !isThorough()
    ? findBarriers(page, `${name}, light`, rules)
    : findBarriersInThemes(page, name, rules);

async function checkWidths(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    for (const fault of await layoutFaults(page)) found.push(`${name} at ${width} px ${fault}`);
  }
  return found;
}

/**
 * Checks a loaded page in both themes and in all widths: on a desk in its language, on a phone in the other one. The next page
 * then has that other language on the desk.
 */
async function checkPage(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const [size, rules] of [[DESK], [PHONE, LAYOUT_RULES]] as const) {
    if (size === PHONE) await changeLanguage(page);
    const shown = `${name}, ${await languageOf(page)}`;
    found.push(...(await checkWidths(page, shown)));
    await page.setViewportSize(size);
    found.push(...(await checkThemes(page, `${shown}, ${size.width} px`, rules)));
  }
  await page.setViewportSize(DESK);
  return found;
}

// The checker is injected as a script, which the policy of the console forbids.
const LOOK = { viewport: DESK, bypassCSP: true, colorScheme: 'light' as const };
const PLACE = { latitude: 20.5, longitude: -100.8 };
/** A person who sees every form. */
const KIM = { name: 'Kim', roles: ['administrator', 'dispatcher', 'technician'] as const };

whole(
  'no page has a serious barrier or scrolls sideways, light and dark, in both languages',
  async ({ browser, acting, fleet, database }) => {
    const selection = { organizationNo: fleet.organizationNo, maxTanks: 10, days: 365 };
    const score = await scoreOrganization(database.operator, selection, Date.now());
    await storeScore(database.operator, fleet.organizationNo, score);
    const { page: first } = await openConsole(browser, acting, LOOK);
    await first.locator('form').waitFor();
    const found = await checkPage(first, 'sign-in');
    await first.context().close();

    const { organizationNo } = fleet;
    // The names are random, because a second try finds what the first one has stored.
    const name = (noun: string): string => `${noun} ${randomUUID().slice(0, 4)}`;
    const truck = { name: name('Truck'), capacity: 2_600, driver: name('Sam') };
    await giveTrucks(database.operator, organizationNo, { ...PLACE, name: name('Celaya') }, [truck]);
    const { page } = await openAs(browser, database, acting, { ...KIM, organizationNo, ...LOOK });
    const pages: [string, string][] = [
      ['', '.today table'],
      ['fleet', 'table.fleet tr[data-tank]'],
      ['fleet?view=map', '.in-view p, .in-view li'], // test/console/map.test.ts has more of the map
      [`tanks/${fleet.workshop.id}`, 'figure.chart canvas'],
      ['round', '.plan-load'],
      ['ledger', '.ledger-figures'],
      ['customers', '.customers tbody tr'],
      [`customers/${fleet.maria.id}`, '.refills tbody tr'],
      ['devices', '.devices table, .devices .notice'],
      ['devices?show=all', '.devices table'],
      ['imports', '.imports .choose'],
      ['trucks', '.transport'],
      ['events?since=30d', '.event-table'],
      ['settings', '.settings h2'],
      ['people', '.people-list li'],
      ['duty', '.duty .reach'],
      ['mails', '.mails form'],
      ['sources', '.sources form'],
      ['webhooks', '.webhooks form'],
      ['audit', '.settings .meta'],
      ['commission', '.step input'],
      [`commission/${fleet.garage.id}`, '.step input'],
      ['score', '.score'],
      ['nowhere', 'main > .notice'],
    ];
    for (const [path, ready] of pages) {
      await goTo(page, path, ready);
      found.push(...(await checkPage(page, path === '' ? 'today' : path)));
    }
    await page.context().close();

    const { page: owner } = await openSignedIn(browser, acting, { key: fleet.narrowedKey, ...LOOK });
    await owner.locator('.owner-tank').waitFor();
    found.push(...(await checkPage(owner, 'owner')));
    await goTo(owner, `tanks/${fleet.house.id}`, 'figure.chart canvas');
    found.push(...(await checkPage(owner, 'tank of the owner')));
    expect(found).toEqual([]);
  },
);

whole(
  'no state of the worst moment has a serious barrier or scrolls sideways, light and dark, in both languages',
  async ({ browser, acting, database }) => {
    const day = await givenWorstDay(database);
    const { organizationNo } = day;
    const { page } = await openAs(browser, database, acting, { ...KIM, organizationNo, ...LOOK });
    const found: string[] = [];
    const states: [string, string, string][] = [
      ['a leak on the day', '', '.today table'],
      ['the leaking tank', `tanks/${day.idOf('leak')}`, '.steps'],
      ['an unreliable gauge', `tanks/${day.idOf('stuck gauge')}`, 'figure.chart canvas'],
      ['a tank that never reported', `tanks/${day.idOf('never reported')}`, '.figures'],
      ['a section of the fleet', 'fleet?section=low', 'table.fleet tr[data-tank]'],
    ];
    for (const [name, path, ready] of states) {
      await goTo(page, path, ready);
      found.push(...(await checkPage(page, name)));
    }
    await goTo(page, `tanks/${day.idOf('low')}`, '.act-grid');
    await page.locator('.no-print > .button.primary').click();
    await page.locator('form.handle').waitFor();
    found.push(...(await checkPage(page, 'the form to handle a low tank')));
    const isLow = (url: URL): boolean => url.searchParams.get('section') === 'low';
    await page.route(isLow, (route) => route.fulfill({ status: 503, body: '' }));
    await page.goto('/console/');
    await page.locator('.failed').waitFor();
    found.push(...(await checkPage(page, 'a failed section')));
    await page.unrouteAll();
    await page.context().setOffline(true);
    await page.locator('.old-banner').waitFor();
    found.push(...(await checkPage(page, 'an old page')));
    await page.context().setOffline(false);
    await page.locator('.old-banner').waitFor({ state: 'detached' });
    await page.context().clearCookies();
    await page.locator('.ended').waitFor();
    found.push(...(await checkPage(page, 'an ended session')));
    await page.context().close();

    const { page: owner } = await openSignedIn(browser, acting, { key: day.ofAnn, ...LOOK });
    await owner.locator('.safety').first().waitFor();
    found.push(...(await checkPage(owner, 'the owner of a leaking tank')));
    await goTo(owner, `tanks/${day.idOf('leak')}`, 'figure.chart canvas');
    found.push(...(await checkPage(owner, 'the leaking tank of the owner')));
    expect(found).toEqual([]);
  },
);

test('the first load has at most 130 kB compressed, without chart and map, and files have the right headers', async ({
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
  // Marks when the day is shown. Files that are loaded after it do not belong to the first load.
  await page.addInitScript(`new MutationObserver((_, observer) => {
    if (document.querySelector('.today table') === null) return;
    performance.mark('day');
    observer.disconnect();
  }).observe(document, { childList: true, subtree: true })`);
  await page.reload();
  await page.locator('.today table').first().waitFor();
  const loaded = await page.evaluate<string[]>(`performance.getEntriesByType('resource')
    .filter(({ startTime }) => startTime <= performance.getEntriesByName('day')[0].startTime)
    .map(({ name }) => new URL(name).pathname.replace('/console/', ''))`);
  const first = files.filter((file) => file === 'index.html' || loaded.includes(file));
  expect(first.length).toBeGreaterThanOrEqual(3);
  expect(first.filter((file) => /map|world|level_chart/.test(file))).toEqual([]);
  const bytes = first.reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0);
  console.log(`the first load of the console: ${bytes} bytes gzipped`);
  expect(bytes).toBeLessThanOrEqual(MAX_FIRST_LOAD_BYTES);

  const script = files.find((file) => /first-.*\.js$/.test(file));
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
