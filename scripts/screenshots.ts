import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { stopProcess } from '../engines/postgres.ts';
import { findProgram } from '../engines/programs.ts';

/**
 * Writes pictures of the pages of the console, in both languages, light and dark, as wide as a desk and as a phone:
 * `npm run build:console && npm run screenshots -- [FOLDER]`. Starts a demo, or uses a running one (`--demo FILE` with
 * what the demo printed with --json). `--only NAME` saves the pictures whose names begin so.
 */
const DEMO = fileURLToPath(new URL('../demo/main.ts', import.meta.url));
const WIDTHS = { desk: 1280, phone: 390 } as const;
/** The story of the demo needs this time: a tank runs low, another one leaks, and a gauge fails. */
const STORY_SECONDS = 15;
const SETTLE_MS = 800;

interface DemoAddresses {
  base_url: string;
  api_key: string;
  live_api_key: string;
  customer_key: string;
}

interface Look {
  language: 'en' | 'es';
  theme: 'light' | 'dark';
  width: keyof typeof WIDTHS;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { demo: { type: 'string' }, only: { type: 'string', default: '' } },
});
const folder = positionals[0] ?? 'screenshots';

async function startDemo(): Promise<{ demo: DemoAddresses; child: ChildProcess }> {
  const child = spawn(process.execPath, [DEMO, '--json', '--story-seconds', String(STORY_SECONDS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    child.once('exit', (code) => reject(new Error(`the demo ended with ${code}`)));
  });
  await new Promise((resolve) => setTimeout(resolve, (STORY_SECONDS + 5) * 1_000));
  return { demo: JSON.parse(line), child };
}

async function openPage(browser: Browser, { language, theme, width }: Look, baseUrl: string): Promise<Page> {
  const context = await browser.newContext({
    baseURL: baseUrl,
    viewport: { width: WIDTHS[width], height: width === 'desk' ? 800 : 844 },
    deviceScaleFactor: width === 'desk' ? 1 : 2,
    colorScheme: theme,
    locale: language === 'en' ? 'en-US' : 'es-MX',
    timezoneId: language === 'en' ? 'America/New_York' : 'America/Mexico_City',
  });
  return context.newPage();
}

async function signIn(page: Page, apiKey: string): Promise<void> {
  await page.goto('/console/');
  await page.getByRole('button', { name: 'API' }).click();
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

/** Name of the picture, path of the page, and what it has when it is loaded. */
const OTHER_PAGES = [
  ['map', 'fleet?view=map', '.map-marks [data-mark]:not([hidden])'],
  ['events', 'events', '.event-table'],
  ['settings', 'settings', '.command'],
] as const;

/** The pages of a dispatcher, beginning with the sign-in. */
async function photographDispatcher(browser: Browser, demo: DemoAddresses, look: Look): Promise<void> {
  const page = await openPage(browser, look, demo.base_url);
  await page.goto('/console/');
  await page.locator('form').waitFor();
  await save(page, 'sign-in', look);
  await signIn(page, demo.live_api_key);
  await page.locator('.today table').first().waitFor();
  await save(page, 'today', look);
  await page.goto('/console/fleet');
  await page.locator('tr[data-tank]').first().waitFor();
  await save(page, 'fleet', look);
  await page.locator('tr[data-tank] .tank-name a').first().click();
  await page.locator('.chart canvas').waitFor();
  await save(page, 'tank', look);
  await page.goto('/console/round?within=7');
  await page.locator('.stops').waitFor();
  await save(page, 'round', look);
  await page.locator('.stops .meta a').first().click();
  await page.locator('tr[data-tank]').first().waitFor();
  await page.locator('.bars').waitFor();
  await save(page, 'customer', look);
  for (const [name, path, ready] of OTHER_PAGES) {
    await page.goto(`/console/${path}`);
    await page.locator(ready).first().waitFor();
    await save(page, name, look);
  }
  await page.context().close();
}

async function photographOwner(browser: Browser, demo: DemoAddresses, look: Look): Promise<void> {
  const page = await openPage(browser, look, demo.base_url);
  await signIn(page, demo.customer_key);
  await page.locator('.owner-tank').first().waitFor();
  await save(page, 'owner', look);
  await page.context().close();
}

/** The round as the printer gets it. */
async function printRound(browser: Browser, demo: DemoAddresses): Promise<void> {
  const look = { language: 'es', theme: 'light', width: 'desk' } as const;
  const page = await openPage(browser, look, demo.base_url);
  await signIn(page, demo.api_key);
  await page.goto('/console/round?within=30');
  await page.locator('.stops').waitFor();
  await page.emulateMedia({ media: 'print' });
  await save(page, 'round-print', look);
  await page.pdf({ path: join(folder, 'round-print.pdf'), format: 'A4' });
  await page.context().close();
}

async function readDemo(file: string): Promise<DemoAddresses> {
  const { default: demo } = await import(file, { with: { type: 'json' } });
  return demo;
}

await mkdir(folder, { recursive: true });
const started = values.demo === undefined ? await startDemo() : undefined;
const demo = started?.demo ?? (await readDemo(values.demo ?? ''));
const browser = await chromium.launch({
  executablePath: findProgram('chromium'),
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'], // WebGL without a graphics card
});
try {
  for (const language of ['en', 'es'] as const) {
    for (const theme of ['light', 'dark'] as const) {
      for (const width of ['desk', 'phone'] as const)
        await photographDispatcher(browser, demo, { language, theme, width });
      await photographOwner(browser, demo, { language, theme, width: 'phone' });
    }
  }
  await printRound(browser, demo);
} finally {
  await browser.close();
  if (started !== undefined) await stopProcess(started.child, 'SIGTERM');
}
