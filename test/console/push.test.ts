import type { CDPSession, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { type RunningPushService, startPushService } from '../../engines/push_service.ts';
import { givenWorker } from '../support/events.ts';
import { test } from './act_test.ts';

const soon = { interval: 100, timeout: 60_000 };

/**
 * Chromium's own push service cannot be reached, so the page subscribes at the one of the test. Permission, service worker, page and
 * notifications are the real ones.
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
    for (const one of registrations) if (one.scopeURL.endsWith('/console/') && !one.isDeleted) registrationId = one.registrationId;
  });
  await cdp.send('ServiceWorker.enable');
  await expect.poll(() => registrationId, soon).not.toBe('');
  return async (message) => {
    await cdp.send('ServiceWorker.deliverPushMessage', { origin: `${url}/`, registrationId, data: JSON.stringify(message) });
  };
}

const shownOn = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`navigator.serviceWorker.getRegistration('/console/')
    .then((registration) => registration.getNotifications())
    .then((shown) => shown.map(({ title, body }) => title + ': ' + body).toSorted())`);

test('a person turns notifications on, gets a test, sees none while the page is visible, and signing out ends them', async ({
  database,
  acting,
  open,
}) => {
  const service = await startPushService();
  onTestFinished(() => service.close());
  await givenWorker(database);
  const { page, faults } = await open({ name: 'Dana', roles: ['dispatcher'], serviceWorkers: 'allow' });
  await page.context().grantPermissions(['notifications'], { origin: acting.url });
  await subscribeAt(page, service);
  await page.goto('/console/');
  await page.getByLabel('Menu').click();
  await page.getByRole('link', { name: 'Notifications' }).click();
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByText('Notifications are on.').waitFor();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await expect.poll(() => service.pushes.length, soon).toBe(1);

  const deliver = await delivererOf(page, acting.url);
  const [{ message } = { message: {} }] = service.pushes;
  // It comes twice, and is shown once.
  await deliver(message);
  await expect.poll(() => shownOn(page), soon).toEqual([expect.stringMatching(/^Test: Notifications of .* reach this browser\.$/)]);
  await deliver(message);

  const loss = { title: 'Lake cabin: losing gas', body: 'Inn of Fisher', language: 'en', url: '/console/', tag: 'e1', isUrgent: true };
  // The page is visible, and answers.
  await deliver({ ...loss, id: 101 });
  // Somebody else is in front: the page is not visible any more.
  await page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })`);
  await deliver({ ...loss, tag: 'e2', title: 'Barn: losing gas', id: 102 });
  await expect.poll(() => shownOn(page), soon).toHaveLength(2);
  expect(await shownOn(page)).toEqual(['Barn: losing gas: Inn of Fisher', expect.stringContaining('Test')]);
  // The false alarm replaces it.
  await deliver({ ...loss, tag: 'e2', title: 'Barn: false alarm', id: 103, isUrgent: false });
  await expect.poll(() => shownOn(page), soon).toEqual(['Barn: false alarm: Inn of Fisher', expect.stringContaining('Test')]);

  const stored = async () => (await database.owner.query('select from push_subscriptions')).rowCount;
  // A new load belongs to the same browser.
  await page.reload();
  await page.getByText('Notifications are on.').waitFor();
  expect(await stored()).toBe(1);
  await page.getByLabel('Menu').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: /sign-in|sign in|email/i }).first().waitFor();
  expect(await stored()).toBe(0);
  // The files of the page are kept, and no answer of the service.
  const kept = await page.evaluate<string[]>(`caches.keys().then(async ([name]) =>
    (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname))`);
  expect(kept).toContain('/console/');
  expect(kept.filter((path) => path !== '/console/' && !/^\/console\/assets\/[^/]+\.(js|css)$/.test(path))).toEqual([]);
  expect(faults).toEqual([]);

  // Without network the page opens and says what is wrong.
  await page.context().setOffline(true);
  await page.goto('/console/');
  await page.getByRole('button', { name: /again/i }).waitFor();
});
