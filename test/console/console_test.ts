import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from '../../engines/browser.ts';
import { test as base, type TestApi } from '../support/test.ts';
import { givenConsoleFleet } from './console_fleet.ts';

export interface OpenConsole {
  page: Page;
  /** Every error of the console, every violation of its policy, and every request to another origin. */
  faults: string[];
}

type Fleet = Awaited<ReturnType<typeof givenConsoleFleet>>;

/** One installation and one fleet for each test file, and one browser for all files of a worker. No page outlives its test. */
export const test = base.extend<{
  $worker: { browser: Browser };
  $file: { fleet: Fleet };
  $test: { closePages: void };
}>({
  browser: [
    // oxlint-disable-next-line no-empty-pattern -- vitest reads what a fixture needs from this pattern
    async ({}, use) => {
      const browser = await launchBrowser();
      await use(browser);
      await browser.close();
    },
    { scope: 'worker' },
  ],
  fleet: [async ({ database }, use) => use(await givenConsoleFleet(database)), { scope: 'file' }],
  closePages: [
    async ({ browser }, use) => {
      await use();
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
    { auto: true },
  ],
});

/** Opens the sign-in in a new browser profile. */
export async function openConsole(
  browser: Browser,
  api: Pick<TestApi, 'url'>,
  options: BrowserContextOptions = {},
): Promise<OpenConsole> {
  const opened = await openEmpty(browser, api, options);
  await opened.page.goto('/console/');
  return opened;
}

async function openEmpty(
  browser: Browser,
  api: Pick<TestApi, 'url'>,
  options: BrowserContextOptions,
): Promise<OpenConsole> {
  // Requests that a service worker answers cannot be changed by a test.
  const context = await browser.newContext({ baseURL: api.url, locale: 'en-US', serviceWorkers: 'block', ...options });
  context.setDefaultTimeout(120_000); // what has to be fast is measured in the test
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (message) => {
    // The browser reports every response with an error status. That of /session only says that there is no session.
    const isSession = message.location().url.endsWith('/session');
    if (message.type() === 'error' && !isSession) faults.push(message.text());
  });
  // Adds the reason, which the message of the browser does not have.
  page.on('response', (response) => {
    if (response.status() < 500) return;
    const addFault = (text: string): unknown => faults.push(`${response.url()}: ${text}`);
    response.text().then(addFault, addFault);
  });
  page.on('request', (request) => {
    const isOwn = request.url().startsWith(`${api.url}/`) || request.url().startsWith('blob:');
    if (!isOwn) faults.push(request.url());
  });
  return { page, faults };
}

/** Signs in without the form, which has tests of its own, and opens a page. */
export async function openSignedIn(
  browser: Browser,
  api: Pick<TestApi, 'url'>,
  { key, path = '', ...options }: BrowserContextOptions & { key: string; path?: string },
): Promise<OpenConsole> {
  const response = await fetch(`${api.url}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: key }),
  });
  const [, value] = /^__Host-tankwatch=([^;]+)/.exec(response.headers.get('set-cookie') ?? '') ?? [];
  if (value === undefined) throw new Error(`POST /session returned ${response.status}`);
  return openWithSession(browser, api, value, { path, ...options });
}

/** Opens a page with a session. The cookie is set first, so that the console is loaded only once. */
export async function openWithSession(
  browser: Browser,
  api: Pick<TestApi, 'url'>,
  session: string,
  { path = '', ...options }: BrowserContextOptions & { path?: string },
): Promise<OpenConsole> {
  const opened = await openEmpty(browser, api, options);
  await addSession(opened.page, api, session);
  await opened.page.goto(`/console/${path}`);
  await opened.page.locator('header.top').waitFor();
  return opened;
}

export async function addSession(page: Page, { url }: Pick<TestApi, 'url'>, session: string): Promise<void> {
  const address = url.replace('http:', 'https:');
  const attributes = { secure: true, httpOnly: true, sameSite: 'Lax' as const };
  await page.context().addCookies([{ name: '__Host-tankwatch', value: session, url: address, ...attributes }]);
}
