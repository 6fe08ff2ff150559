import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { startDatabase } from '../engines/database.ts';
import { freePort } from '../engines/free_port.ts';
import { RoleProcess } from '../engines/process.ts';
import { findProgram } from '../engines/programs.ts';
import { CALM_DAY, createPictureFleet, type PictureFleet, USUAL_DAY, WORST_DAY } from './screenshot_fleets.ts';

/**
 * Writes pictures of every page of the console, in both languages, light and dark, on a desk, a tablet and a phone, with 0, 1,
 * 52 and 2,000 tanks, calm and at the worst moment: `npm run build:console && npm run screenshots -- [FOLDER]`. `--only NAME`
 * saves the pictures whose names begin so; `--quick` one language and theme.
 */
const WIDTHS = { desk: 1_440, tablet: 1_024, phone: 390 } as const;
const SETTLE_MS = 600;
/** A page is old 10 seconds after the last heartbeat. */
const HANG_MS = 14_000;

interface Look {
  language: 'en' | 'es';
  theme: 'light' | 'dark';
  width: keyof typeof WIDTHS;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', default: '' }, quick: { type: 'boolean', default: false } },
});
const folder = positionals[0] ?? 'screenshots';
const LOOKS: readonly Look[] = (values.quick ? (['en'] as const) : (['en', 'es'] as const)).flatMap((language) =>
  (values.quick ? (['light'] as const) : (['light', 'dark'] as const)).flatMap((theme) =>
    (['desk', 'tablet', 'phone'] as const).map((width) => ({ language, theme, width })),
  ),
);

async function openPage(browser: Browser, { language, theme, width }: Look, url: string): Promise<Page> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: WIDTHS[width], height: width === 'phone' ? 844 : 900 },
    colorScheme: theme,
    locale: language === 'en' ? 'en-US' : 'es-MX',
    timezoneId: 'America/New_York',
  });
  return context.newPage();
}

async function signIn(page: Page, apiKey: string): Promise<void> {
  await page.goto('/console/');
  await page.locator('form').waitFor();
  await page.locator('input[type=password]').fill(apiKey);
  await page.locator('button[type=submit]').click();
  await page.locator('header.top').waitFor();
}

async function save(page: Page, name: string, { language, theme, width }: Look): Promise<void> {
  if (!name.startsWith(values.only)) return;
  await page.waitForTimeout(SETTLE_MS); // the network is never idle, because of the live stream
  await page.mouse.move(0, 0);
  const path = join(folder, `${name}-${width}-${language}-${theme}.png`);
  await page.screenshot({ path, fullPage: true, animations: 'disabled' });
  console.log(path);
}

async function photograph(page: Page, path: string, ready: string, name: string, look: Look): Promise<void> {
  if (!name.startsWith(values.only)) return;
  await page.goto(`/console/${path}`);
  await page.locator(ready).first().waitFor();
  await save(page, name, look);
}

interface Fleets {
  none: PictureFleet;
  one: PictureFleet;
  calm: PictureFleet;
  worst: PictureFleet;
  large: PictureFleet;
}

/** The pages of a dispatcher on the worst day, beginning with the sign-in. */
async function photographWorstDay(browser: Browser, url: string, { worst }: Fleets, look: Look): Promise<void> {
  const page = await openPage(browser, look, url);
  await page.goto('/console/');
  await page.locator('form').waitFor();
  await save(page, 'sign-in', look);
  await signIn(page, worst.key);
  const pages: [name: string, path: string, ready: string][] = [
    ['today-worst', '', '.today table'],
    ['fleet-worst', 'fleet', 'tr[data-tank]'],
    ['map', 'fleet?view=map', '.places tbody tr'],
    ['tank-leak', `tanks/${worst.tankIds.leak}`, 'figure.chart canvas'],
    ['tank-gauge', `tanks/${worst.tankIds.gauge}`, 'figure.chart canvas'],
    ['tank', `tanks/${worst.tankIds.fine}`, 'figure.chart canvas'],
    ['round', 'round?within=3', '.stops'],
    ['round-over', 'round?within=7&truck=900', '.stops'],
    ['customers', 'customers', '.customers tbody tr'],
    ['customer', `customers/${worst.customerId}`, 'tr[data-tank]'],
    ['events', 'events', '.event-table'],
    ['settings', 'settings', '.settings'],
  ];
  for (const [name, path, ready] of pages) await photograph(page, path, ready, name, look);
  await page.goto('/console/');
  await page.locator('.today table').first().waitFor();
  await page.context().clearCookies();
  await page.locator('.ended').waitFor();
  await save(page, 'session-ended', look);
  await page.context().close();
}

async function photographOthers(browser: Browser, url: string, fleets: Fleets, look: Look): Promise<void> {
  for (const name of ['none', 'one', 'calm', 'large'] as const) {
    const page = await openPage(browser, look, url);
    await signIn(page, fleets[name].key);
    await photograph(page, '', '.today', `today-${name}`, look);
    await photograph(page, 'fleet', name === 'none' ? '.notice' : 'tr[data-tank]', `fleet-${name}`, look);
    await page.context().close();
  }
  for (const story of ['leak', 'low', 'gauge', 'fine'] as const) {
    const page = await openPage(browser, look, url);
    await signIn(page, fleets.worst.ownerKeys[story] ?? '');
    await photograph(page, '', '.owner-tank', `owner-${story}`, look);
    await page.context().close();
  }
}

/** Every look at the same moment: a service that hangs hangs for all of them. */
async function photographHang(browser: Browser, url: string, { worst }: Fleets, api: RoleProcess): Promise<void> {
  if (!'hung'.startsWith(values.only)) return;
  const pages: { page: Page; look: Look }[] = [];
  for (const look of LOOKS) {
    const page = await openPage(browser, look, url);
    await signIn(page, worst.key);
    await page.locator('.live-state.live').waitFor();
    pages.push({ page, look });
  }
  if (api.pid === undefined) throw new Error('the api does not run');
  process.kill(api.pid, 'SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, HANG_MS));
  for (const { page, look } of pages) {
    await page.locator('.old-banner').waitFor();
    await save(page, 'hung', look);
    await page.context().close();
  }
  process.kill(api.pid, 'SIGCONT');
}

/** As the printer gets it. */
async function print(browser: Browser, url: string, { worst }: Fleets): Promise<void> {
  const look = { language: 'es', theme: 'light', width: 'desk' } as const;
  const page = await openPage(browser, look, url);
  await signIn(page, worst.key);
  const printed: [name: string, path: string, ready: string][] = [
    ['print-round', 'round?within=7', '.stops'],
    ['print-tank', `tanks/${worst.tankIds.low}`, 'figure.chart canvas'],
    ['print-today', '', '.today table'],
  ];
  await page.emulateMedia({ media: 'print' });
  for (const [name, path, ready] of printed) {
    await photograph(page, path, ready, name, look);
    if (name.startsWith(values.only)) await page.pdf({ path: join(folder, `${name}.pdf`), format: 'A4' });
  }
  await page.context().close();
}

await mkdir(folder, { recursive: true });
await using started = new AsyncDisposableStack();
const database = await startDatabase();
started.defer(() => database.stop());
const { owner } = database;
const fleets: Fleets = {
  none: await createPictureFleet(owner, { code: 'a0none', name: 'New Gas Company', tanks: 0, stories: ['fine'] }),
  one: await createPictureFleet(owner, { code: 'a0one', name: 'One Tank Gas', tanks: 1, stories: ['fine'] }),
  calm: await createPictureFleet(owner, { code: 'a0calm', name: 'Calm Gas', tanks: 52, stories: CALM_DAY }),
  worst: await createPictureFleet(owner, {
    code: 'a0worst',
    name: 'Green Mountain Gas',
    tanks: 52,
    stories: WORST_DAY,
  }),
  large: await createPictureFleet(owner, { code: 'a0large', name: 'Large Gas', tanks: 2_000, stories: USUAL_DAY }),
};
const port = await freePort();
const api = new RoleProcess('api', {
  API_DATABASE_URL: database.urls.api,
  API_HOST: '127.0.0.1',
  API_PORT: String(port),
  API_DRAIN_MS: '0',
});
await api.start();
started.defer(() => api.stop());
const url = `http://127.0.0.1:${port}`;
const browser = await chromium.launch({
  executablePath: findProgram('chromium'),
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'], // WebGL without a graphics card
});
started.defer(() => browser.close());
for (const look of LOOKS) {
  await photographWorstDay(browser, url, fleets, look);
  await photographOthers(browser, url, fleets, look);
}
await photographHang(browser, url, fleets, api);
await print(browser, url, fleets);
