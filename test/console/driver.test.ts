import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { RoleProcess } from '../../engines/process.ts';
import { signDriverLink } from '../../src/deliveries/driver_links.ts';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { DAY_MS } from '../../src/values/time.ts';
import { type GivenRound, givenRound, readUntilMs } from '../support/driven_rounds.ts';
import { givenOrganization } from '../support/fleet.ts';
import type { TestDatabase } from '../support/test.ts';
import { isWhole } from '../support/whole_tests.ts';
import { findBarriersInThemes, overflow } from './barriers.ts';
import { test } from './console_test.ts';

const LINK_SECRET = 'a secret of links, of the tests of the page';
const PHONE = { viewport: { width: 390, height: 844 }, locale: 'en-US' };

/** Starts the api in a separate process that a test can kill. */
async function givenApi(database: TestDatabase): Promise<{ api: RoleProcess; url: string }> {
  const port = await freePort();
  const api = new RoleProcess('api', {
    API_DATABASE_URL: database.urls.api,
    LINK_SECRET,
    API_HOST: '127.0.0.1',
    API_PORT: String(port),
    API_DRAIN_MS: '0',
  });
  await api.start();
  onTestFinished(() => api.stop());
  return { api, url: `http://127.0.0.1:${port}` };
}

const tokenOf = (round: GivenRound): string =>
  signDriverLink(LINK_SECRET, { roundId: round.id, generation: 0, readUntilMs: readUntilMs(round) });

interface Phone {
  context: BrowserContext;
  page: Page;
  /** Errors of the page and violations of its policy. */
  faults: string[];
}

async function givenPhone(browser: Browser, url: string, language = 'en-US'): Promise<Phone> {
  const context = await browser.newContext({ ...PHONE, locale: language, baseURL: url });
  context.setDefaultTimeout(60_000);
  const faults: string[] = [];
  context.on('weberror', (error) => faults.push(error.error().message));
  context.on('console', (message) => {
    // Without the service, every request fails. An ended link is answered with 401.
    if (message.type() === 'error' && !/net::ERR_|status of 401/.test(message.text())) faults.push(message.text());
  });
  return { context, page: await context.newPage(), faults };
}

/** Everything that the browser keeps for the page: its database, its caches, and its other stores. */
const keptOnPhone = (page: Page): Promise<string> =>
  page.evaluate<string>(`(async () => {
    const done = (request) => new Promise((resolve) => request.addEventListener('success', () => resolve(request.result)));
    const database = await done(indexedDB.open('tankwatch driver'));
    const read = (name) => done(database.transaction(name).objectStore(name).getAll());
    const all = await Promise.all([...database.objectStoreNames].map(read));
    database.close();
    const cached = [];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const key of await cache.keys()) cached.push(key.url, await (await cache.match(key)).text());
    }
    return JSON.stringify([all, cached, { ...localStorage }, { ...sessionStorage }]);
  })()`);

const personalOf = (round: GivenRound): string[] =>
  round.stops.flatMap(({ customer, phone, street }) => [customer, phone, street]);

const untilUsableOffline = (page: Page): Promise<void> => page.getByText('This page works without network.').waitFor();
const untilUnsent = (page: Page, count: number): Promise<void> =>
  count === 0
    ? page.locator('.unsent-bar').waitFor({ state: 'detached' })
    : page.getByText(`${count} not sent yet`).waitFor();

async function deliver(page: Page, stop: number, liters: string): Promise<void> {
  const card = page.locator(`.stop-card[data-stop="${stop}"]`);
  await card.locator('#volume').fill(liters);
  await card.locator('#done').click();
  await page.locator(`.driver-list li[data-stop="${stop}"]`).waitFor();
}

const whole = test.runIf(isWhole('console/driver'));

whole(
  'a round that is driven without network is sent once, also if the api is killed while it stores an entry',
  { timeout: 240_000 },
  async ({ browser, database }) => {
    const { api, url } = await givenApi(database);
    const organizationNo = await givenOrganization(database.operator);
    const round = await givenRound(database.owner, organizationNo, { stops: 5 });
    const { context, page, faults } = await givenPhone(browser, url);
    await page.goto(`/driver/#${tokenOf(round)}`);
    await untilUsableOffline(page);
    expect(await page.locator('.stop-card').innerText()).toContain(round.stops[0]?.customer);
    expect(await page.getByRole('link', { name: 'Navigate' }).getAttribute('href')).toBe(
      'geo:20.5,-100.8?q=20.5%2C-100.8',
    );
    expect(await page.getByRole('link', { name: 'Call', exact: true }).getAttribute('href')).toBe('tel:+524611');
    expect(await findBarriersInThemes(page, 'driver')).toEqual([]);
    expect(await overflow(page)).toBe(0);

    // The api is killed. If only the page were offline, its service worker could still reach the api.
    await api.kill();
    await page.reload();
    await deliver(page, 1, '300');
    await page.getByText('No network.').waitFor();
    await page.locator('#not-possible').click();
    await page.locator('#reason-no_access').click();
    await deliver(page, 3, '310.5');
    await untilUnsent(page, 3);
    // If a volume is ten times, or a hundredth of, what fits, the page asks before it stores it.
    for (const [typed, asked] of [
      ['4,000', '4,000 L? About'],
      ['4', '4 L? About'],
    ] as const) {
      await page.locator('#volume').fill(typed);
      await page.locator('#done').click();
      await page.getByText(asked).waitFor();
      await untilUnsent(page, 3);
      await page.getByRole('button', { name: 'Change the amount' }).click();
      expect(await page.locator('#volume').inputValue()).toBe(typed);
    }
    for (const [refused, hint] of [
      ['some', 'Type the volume that the meter shows, such as 450.'],
      ['4.000', '4.000 can mean two numbers. Type 4,000 or 4.'],
    ] as const) {
      await page.locator('#volume').fill(refused);
      await page.locator('#done').click();
      await page.getByText(hint).waitFor();
    }
    await deliver(page, 4, '400');
    await page.locator('#undo-4').click();
    await page.locator('.stop-card[data-stop="4"]').waitFor();
    // The stop is open again, so the page has its address. When it is closed, neither the page nor the disk has it.
    expect(await page.locator('.stop-card').innerText()).toContain(round.stops[3]?.customer);
    await deliver(page, 4, '390');
    expect(await page.locator('main').innerText()).not.toContain(round.stops[3]?.customer);
    expect(await keptOnPhone(page)).not.toContain(round.stops[3]?.customer);
    expect(await keptOnPhone(page)).toContain(round.stops[4]?.customer);

    // After the phone was off: a new page of the same browser, still without the service.
    await page.close();
    const second = await context.newPage();
    await second.goto('/driver/');
    await deliver(second, 5, '405,5');
    await untilUnsent(second, 7);
    await second.getByText('All stops are done.').waitFor();

    // The api dies while it stores the first entry. PostgreSQL stores it, and the phone gets no answer.
    const blocker = await database.owner.connect();
    await blocker.query('begin');
    await blocker.query('select from rounds where no = $1 for update', [round.no]);
    await api.start();
    await second.locator('#send').click();
    await expect
      .poll(async () => {
        const { rows } = await database.owner.query(
          `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%record_driver_word%' and datname = $1`,
          [database.name],
        );
        return rows.length;
      })
      .toBeGreaterThan(0);
    await api.kill();
    await blocker.query('commit');
    blocker.release();
    const stored = async (): Promise<number> =>
      (await database.owner.query('select from driver_entries where round_no = $1', [round.no])).rows.length;
    await expect.poll(stored).toBe(1);
    await untilUnsent(second, 7);
    await api.start();
    await second.evaluate(`window.dispatchEvent(new Event('online'))`);
    await untilUnsent(second, 0);
    expect(await stored()).toBe(7);
    const { rows } = await database.owner.query(
      'select number, said, said_reason, said_litres, said_as from round_stops where round_no = $1 order by number',
      [round.no],
    );
    expect(rows).toEqual([
      { number: 1, said: 'delivered', said_reason: null, said_litres: 300, said_as: 'driver' },
      { number: 2, said: 'not_possible', said_reason: 'no_access', said_litres: null, said_as: 'driver' },
      { number: 3, said: 'delivered', said_reason: null, said_litres: 310.5, said_as: 'driver' },
      { number: 4, said: 'delivered', said_reason: null, said_litres: 390, said_as: 'driver' },
      { number: 5, said: 'delivered', said_reason: null, said_litres: 405.5, said_as: 'driver' },
    ]);
    expect(faults).toEqual([]);
  },
);

whole(
  'after its day a link shows nothing, and the phone deletes all personal data but keeps unsent entries',
  {
    timeout: 120_000,
  },
  async ({ browser, database }) => {
    const { api, url } = await givenApi(database);
    const organizationNo = await givenOrganization(database.operator);
    const round = await givenRound(database.owner, organizationNo);
    const old = await givenRound(database.owner, organizationNo, { daysAgo: 2 });

    const stranger = await givenPhone(browser, url, 'es-MX');
    await stranger.page.goto(`/driver/#${tokenOf(old)}`);
    await stranger.page.getByText('Este enlace venció.').waitFor();
    expect(await stranger.page.locator('body').innerText()).not.toMatch(/Número|Calle|Tank/);

    const { page, faults } = await givenPhone(browser, url);
    await page.goto(`/driver/#${tokenOf(round)}`);
    await untilUsableOffline(page);
    await api.kill();
    await deliver(page, 1, '300');
    const before = await keptOnPhone(page);
    for (const personal of personalOf(round).slice(3)) expect(before).toContain(personal);

    // 03:00 passes while the page is open.
    await page.clock.setSystemTime(readUntilMs(round) + 1_000);
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await page.getByText('This link has expired.').waitFor();
    const after = await keptOnPhone(page);
    for (const personal of personalOf(round)) expect(after).not.toContain(personal);
    // Unsent entries are kept, also if the clock of the phone is wrong by more than the week for sending.
    await untilUnsent(page, 1);
    await page.clock.setSystemTime(readUntilMs(round) + 8 * DAY_MS);
    await page.reload();
    await untilUnsent(page, 1);
    await api.start();
    await page.locator('#send').click();
    await untilUnsent(page, 0);
    expect(
      (await database.owner.query('select from driver_entries where round_no = $1', [round.no])).rows,
    ).toHaveLength(1);
    // After that the phone keeps nothing of the round, not even the token.
    await page.reload();
    await expect.poll(() => keptOnPhone(page)).not.toContain(round.id);
    expect(faults).toEqual([]);
  },
);

test('an ended link deletes the round from the phone, and a new link sends what was queued', async ({
  browser,
  database,
}) => {
  const { api, url } = await givenApi(database);
  const organizationNo = await givenOrganization(database.operator);
  const round = await givenRound(database.owner, organizationNo);
  const { page } = await givenPhone(browser, url);
  await page.goto(`/driver/#${tokenOf(round)}`);
  await untilUsableOffline(page);
  await api.kill();
  await deliver(page, 1, '300');
  await database.owner.query('update rounds set link_generation = link_generation + 1 where no = $1', [round.no]);
  await api.start();
  await page.locator('#send').click();
  await page.getByText('This link has expired.').waitFor();
  await page.getByText('1 entry was not accepted').waitFor();
  const kept = await keptOnPhone(page);
  for (const personal of personalOf(round)) expect(kept).not.toContain(personal);
  const link = { roundId: round.id, generation: 1, readUntilMs: readUntilMs(round) };
  await page.goto(`/driver/#${signDriverLink(LINK_SECRET, link)}`);
  await page.locator('.stop-card[data-stop="2"]').waitFor();
  await page.locator('.refused-bar').waitFor({ state: 'detached' });
  await untilUnsent(page, 0);
  expect((await database.owner.query('select from driver_entries where round_no = $1', [round.no])).rows).toHaveLength(
    1,
  );
});
