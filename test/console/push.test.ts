import type { CDPSession, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { startApi } from '../../engines/api.ts';
import { type RunningPushService, startPushService } from '../../engines/push_service.ts';
import { givenWorker } from '../support/events.ts';
import { manageSettings } from '../support/manage.ts';
import { openAs, test } from './act_test.ts';

/**
 * Chromium's own push service cannot be reached, so the page subscribes at the push service of the test.
 */
async function subscribeAt(page: Page, service: RunningPushService): Promise<void> {
  await page.context().exposeFunction('subscribeAtService', (key: string) => service.subscribe(key).subscription);
  await page.context().addInitScript(`{
    let current = null;
    const one = (json) => ({ toJSON: () => json, unsubscribe: async () => { current = null; sessionStorage.removeItem('sub'); return true } });
    const kept = () => current ??= sessionStorage.getItem('sub') ? one(JSON.parse(sessionStorage.getItem('sub'))) : null;
    PushManager.prototype.getSubscription = async () => kept();
    PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
      const json = await window.subscribeAtService(applicationServerKey);
      sessionStorage.setItem('sub', JSON.stringify(json));
      return kept();
    };
  }`);
}

/** Delivers messages to the service worker as the browser does when its push service brings one. */
async function delivererOf(page: Page, url: string): Promise<(message: object) => Promise<void>> {
  const cdp: CDPSession = await page.context().newCDPSession(page);
  let registrationId = '';
  cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    for (const one of registrations)
      if (one.scopeURL.endsWith('/console/') && !one.isDeleted) registrationId = one.registrationId;
  });
  await cdp.send('ServiceWorker.enable');
  await expect.poll(() => registrationId).not.toBe('');
  return async (message) => {
    await cdp.send('ServiceWorker.deliverPushMessage', {
      origin: `${url}/`,
      registrationId,
      data: JSON.stringify(message),
    });
  };
}

/**
 * Chromium without windows cannot show a notification, and says that notifications are not allowed. So they are kept in the
 * service worker, by tag, as the browser keeps them.
 */
async function keepShown(page: Page): Promise<() => Promise<string[]>> {
  const context = page.context();
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  await worker.evaluate(`{
    const shown = new Map();
    self.shown = shown;
    self.registration.showNotification = async (title, options) => { shown.set(options.tag, { title, ...options }) };
    self.registration.getNotifications = async ({ tag }) => [...shown.values()].filter((one) => one.tag === tag);
  }`);
  return () =>
    worker.evaluate<string[]>(
      '[...self.shown.values()].map(({ title, body, silent }) => `${title}: ${body}${silent ? " (silent)" : ""}`).toSorted()',
    );
}

test('a person turns notifications on and gets a test; they are silent on a visible page, and end with the sign-out', async ({
  browser,
  database,
  fleet: { organizationNo },
}) => {
  const service = await startPushService();
  onTestFinished(() => service.close());
  await givenWorker(database);
  // The push service of the test is on this machine.
  const settings = { ...manageSettings(database), WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOW_PRIVATE: 'true' };
  const api = await startApi(database.urls.api, settings);
  let isServed = true;
  const stopApi = async (): Promise<void> => {
    if (isServed) await api.close();
    isServed = false;
  };
  onTestFinished(stopApi);
  const person = { name: 'Dana', roles: ['dispatcher'], organizationNo, serviceWorkers: 'allow' } as const;
  const { page, faults } = await openAs(browser, database, api, person);
  await page.context().grantPermissions(['notifications'], { origin: api.url });
  await subscribeAt(page, service);
  await page.goto('/console/');
  await page.getByLabel('Menu').click();
  await page.getByRole('link', { name: 'Notifications' }).click();
  await page.getByRole('button', { name: 'Turn on' }).click();
  await expect.poll(() => page.locator('.panel').first().innerText()).toContain('Notifications are on.');
  await page.getByRole('button', { name: 'Send a test' }).click();
  await expect.poll(() => service.pushes.length).toBe(1);

  const deliver = await delivererOf(page, api.url);
  const shown = await keepShown(page);
  const [{ message } = { message: {} }] = service.pushes;
  // The message is delivered twice, and makes a sound once.
  await deliver(message);
  await expect.poll(() => shown()).toEqual([expect.stringMatching(/^Test: Notifications of .* reach this browser\.$/)]);
  await deliver(message);
  await expect.poll(() => shown()).toEqual([expect.stringMatching(/^Test: .* \(silent\)$/)]);

  const loss = {
    title: 'Lake cabin: losing gas',
    body: 'Inn of Fisher',
    language: 'en',
    url: '/console/',
    tag: 'e1',
    isUrgent: true,
  };
  // The page is visible, and answers.
  await page.evaluate(`navigator.serviceWorker.addEventListener('message', () => { window.isAsked = true })`);
  await deliver({ ...loss, id: 101 });
  await expect.poll(() => page.evaluate('window.isAsked')).toBe(true);
  await expect.poll(() => shown()).toContain('Lake cabin: losing gas: Inn of Fisher (silent)');
  // Another window is in front: the page is not visible any more.
  await page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })`);
  await deliver({ ...loss, tag: 'e2', title: 'Barn: losing gas', id: 102 });
  await expect.poll(() => shown()).toContain('Barn: losing gas: Inn of Fisher');
  // The notification of a false alarm replaces that of the loss.
  await deliver({ ...loss, tag: 'e2', title: 'Barn: false alarm', id: 103, isUrgent: false });
  await expect.poll(() => shown()).toContain('Barn: false alarm: Inn of Fisher');
  expect(await shown()).toHaveLength(3);

  const stored = async () => (await database.owner.query('select from push_subscriptions')).rowCount;
  // A new load belongs to the same browser.
  await page.reload();
  await page.getByText('Notifications are on.').waitFor();
  expect(await stored()).toBe(1);
  // The session ends in the open page, which shows no alarms any more.
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await page.getByRole('link', { name: 'Fleet' }).first().click();
  const signIn = page.getByRole('button', { name: /sign-in|sign in|email/i }).first();
  await signIn.waitFor();
  await deliver({ ...loss, tag: 'e3', title: 'Mill: losing gas', id: 104 });
  await expect.poll(() => shown()).toContain('Mill: losing gas: Inn of Fisher');
  await page.context().addCookies(cookies);
  // The person removes this browser in another browser. Its page does not subscribe again.
  await database.owner.query('delete from push_subscriptions');
  await page.goto('/console/notifications');
  await page.getByText('Notifications are off.').waitFor();
  await expect.poll(() => page.evaluate(`localStorage.getItem('tankwatch.push')`)).toBeNull();
  expect(await stored()).toBe(0);
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByText('Notifications are on.').waitFor();
  await page.getByLabel('Menu').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await signIn.waitFor();
  expect(await stored()).toBe(0);
  // The files of the page are kept, and no answer of the service.
  const kept = await page.evaluate<string[]>(`caches.keys().then(async ([name]) =>
    (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname))`);
  expect(kept).toContain('/console/');
  expect(kept.filter((path) => path !== '/console/' && !/^\/console\/assets\/[^/]+\.(js|css)$/.test(path))).toEqual([]);
  // The faults come from the session that ended, and from the browser that was removed.
  expect(faults).toEqual([expect.stringContaining('401'), expect.stringContaining('404')]);

  // Without the service the page opens and offers to try again.
  await stopApi();
  await page.goto('/console/');
  await page.getByRole('button', { name: /again/i }).waitFor();
});
