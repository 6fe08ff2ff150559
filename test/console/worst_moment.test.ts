import { spawn } from 'node:child_process';
import type { Locator, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { programEnvironment } from '../../engines/process.ts';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { MAIN } from '../support/cli.ts';
import { givenCustomer, givenTanks } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { within } from '../support/stopwatch.ts';
import type { TestDatabase } from '../support/test.ts';
import { isWhole } from '../support/whole_tests.ts';
import { givenWorstDay, hourly, levels } from '../support/worst_day.ts';
import { type OpenConsole, openSignedIn, test } from './console_test.ts';

const whole = test.runIf(isWhole('console/worst_moment'));

/** A worst day, and two tanks that are fine until the test changes them. */
async function givenDayBefore(database: TestDatabase) {
  const day = await givenWorstDay(database);
  const grace = await givenCustomer(database.operator, day.organizationNo, {
    name: 'Grace Hill',
    phone: '802 555 0188',
  });
  const [cabin, mill] = await givenTanks(database.operator, day.organizationNo, grace.no, [
    { name: 'Lake cabin', custom_id: 'T-77', city: 'Stowe' },
    { name: 'Mill', custom_id: 'T-78', city: 'Barre' },
  ]);
  await day.ingester.ingestReadings([
    ...hourly(cabin.no, 64, 1, day.nowMs - 9 * HOUR_MS),
    ...hourly(mill.no, 20.6, 1, day.nowMs - 6 * HOUR_MS),
  ]);
  const fall = Array.from({ length: 9 }, (_, hour) => 64 - (30 / 9) * (hour + 1));
  return {
    ...day,
    cabin,
    mill,
    leakCabin: () => day.ingester.ingestReadings(levels(cabin.no, fall, day.nowMs)),
    emptyMill: () => day.ingester.ingestReadings(levels(mill.no, [19.8, 19.7, 19.6, 19.5, 19.4], day.nowMs)),
  };
}

/** Keeps moving the mouse over a row, as people do who read. Returns a function that stops it. */
async function keepMoving(page: Page, row: Locator): Promise<() => Promise<void>> {
  await row.hover();
  const box = await row.boundingBox();
  if (box === null) throw new Error('the row is not visible');
  const stopped = new AbortController();
  const move = async (): Promise<void> => {
    for (let step = 0; !stopped.signal.aborted && !page.isClosed(); step += 1) {
      await page.mouse.move(box.x + 40 + (step % 8), box.y + box.height / 2);
      await page.waitForTimeout(30);
    }
  };
  onTestFinished(() => stopped.abort());
  const moving = move();
  return () => {
    stopped.abort();
    return moving;
  };
}

/** A section of the day by its heading. */
const sectionOf = (page: Page, name: RegExp): Locator =>
  page.locator('.today section').filter({ has: page.getByRole('heading', { name }) });

const countsOf = (page: Page) =>
  page.evaluate<[string, string, number][]>(`[...document.querySelectorAll('.strip [data-section]')].map((jump) => {
    const name = jump.dataset.section;
    const section = document.getElementById(name);
    return [name + ' ' + jump.querySelector('b').textContent,
      name + ' ' + (section?.querySelector('.count').textContent ?? '0'),
      section?.querySelectorAll('tbody tr').length ?? 0];
  })`);

/** Expects the same counts in the strip, the headings and the rows. */
async function expectAgreement(page: Page): Promise<void> {
  for (const [strip, heading, rows] of await countsOf(page)) {
    expect(heading).toBe(strip);
    expect(`${strip.split(' ')[0]} ${rows}`).toBe(strip);
  }
}

whole(
  'a new loss and a new low tank appear within 5 seconds while the mouse moves, and no row moves under it',
  async ({ browser, api, database }) => {
    const day = await givenDayBefore(database);
    const { page, faults } = await openSignedIn(browser, api, { key: day.key });
    // Opened one after the other, because the pages of a key count as one sender, and their reads would wait for each other.
    const others: OpenConsole[] = [];
    for (const path of ['events', 'settings', 'customers'])
      others.push(await openSignedIn(browser, api, { key: day.key, path }));
    const [losing, low] = [sectionOf(page, /^Losing/), sectionOf(page, /^Low now/)];
    const row = low.locator(`tr[data-tank="${day.idOf('low')}"]`);
    await row.waitFor();
    await page.locator('.live-state.live').waitFor();
    const stop = await keepMoving(page, row);
    const before = await row.boundingBox();
    await expectAgreement(page);

    await within(5_000, async () => {
      await day.leakCabin();
      await losing.locator(`tr[data-tank="${day.cabin.id}"]`).waitFor();
    });
    const first = losing.locator('tr[data-tank]').first();
    expect(await first.getAttribute('data-tank')).toBe(day.cabin.id);
    expect(await first.locator('.new-mark').innerText()).toMatch(/^new \d/);
    expect(await row.boundingBox()).toEqual(before);
    for (const anyPage of [page, ...others.map((other) => other.page)]) {
      const alarm = anyPage.locator('[role=alert] .alarm');
      await expect.poll(() => alarm.innerText()).toContain('Lake cabin T-77 is losing gas.');
      expect(await alarm.getByRole('link', { name: 'Open' }).getAttribute('href')).toBe(
        `/console/tanks/${day.cabin.id}`,
      );
    }

    await within(5_000, async () => {
      await day.emptyMill();
      await low.locator(`tr[data-tank="${day.mill.id}"] .new-mark`).waitFor();
    });
    expect(await low.locator('tr[data-tank]').first().getAttribute('data-tank')).toBe(day.mill.id);
    expect(await row.boundingBox()).toEqual(before);
    await expectAgreement(page);
    await stop();
    for (const other of others)
      await expect.poll(() => other.page.locator('.low-note').innerText()).toContain('Mill T-78');
    expect([...faults, ...others.flatMap((other) => other.faults)]).toEqual([]);
  },
);

async function startApiProcess(database: TestDatabase): Promise<{ url: string; pid: number }> {
  const port = await freePort();
  const child = spawn(process.execPath, [MAIN, 'api'], {
    env: {
      ...programEnvironment(),
      API_DATABASE_URL: database.urls.api,
      API_HOST: '127.0.0.1',
      API_PORT: String(port),
    },
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL')); // also a stopped process ends
  const url = `http://127.0.0.1:${port}`;
  const isReady = async (): Promise<boolean> => (await callApi(url, '/readyz').catch(() => null))?.status === 200;
  await expect.poll(isReady).toBe(true);
  return { url, pid: child.pid ?? 0 };
}

whole(
  'if the service hangs, every page says within 14 seconds since when it is old, and recovers by itself',
  async ({ browser, database }) => {
    const day = await givenDayBefore(database);
    const { url, pid } = await startApiProcess(database);
    const opened = await Promise.all(
      ['', 'events', `tanks/${day.idOf('low')}`].map((path) => openSignedIn(browser, { url }, { key: day.key, path })),
    );
    opened.push(await openSignedIn(browser, { url }, { key: day.ofAnn }));
    const dispatchers = opened.slice(0, 3).map(({ page }) => page);
    await dispatchers[0]?.locator('.live-state.live').waitFor();
    await dispatchers[0]?.locator('tr[data-tank]').first().waitFor();
    // The time of the data is that of the newest reading, whatever time it is now.
    const shownTime = (page: Page): Promise<string> => page.locator('.live-state').innerText();
    const newest = await dispatchers[0]?.evaluate<string, number>(
      (ms) => new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit' }).format(ms),
      day.nowMs,
    );
    await expect.poll(() => shownTime(dispatchers[0] ?? expect.fail())).toContain(`data of ${newest}`);

    process.kill(pid, 'SIGSTOP');
    await within(14_000, () =>
      Promise.all(opened.map(({ page }) => page.locator('[role=alert] .old-banner').waitFor())),
    );
    for (const { page } of opened) {
      const banner = await page.locator('.old-banner').innerText();
      expect(banner).toMatch(/The service has not answered since \d+:\d\d/);
      expect(banner).toContain('A leak that began since then is not shown.');
    }
    for (const page of dispatchers) expect(await shownTime(page)).toMatch(/^Out of date since \d+:\d\d/);
    expect(await opened[0]?.page.locator('tr[data-tank]').count()).toBeGreaterThan(0);

    process.kill(pid, 'SIGCONT');
    for (const { page } of opened) await page.locator('.old-banner').waitFor({ state: 'detached' });
    for (const page of dispatchers) await page.locator('.live-state.live').waitFor();
    await day.leakCabin();
    await expect.poll(() => dispatchers[1]?.locator('.alarm').innerText()).toContain('Lake cabin');
  },
);

whole(
  'a leaking tank shows its level, its own rate and what to do in the order of safety, and nothing that soothes',
  async ({ browser, api, database }) => {
    const day = await givenDayBefore(database);
    const { page, faults } = await openSignedIn(browser, api, { key: day.key, path: `tanks/${day.idOf('leak')}` });
    await page.locator('.figures').waitFor();
    const pageText = (await page.locator('main').innerText()).replaceAll('\u00A0', ' ');
    expect(pageText).toContain('34% · 170 L');
    expect(pageText).toContain('64% to 34%, 150 L in 9 hours');
    expect(pageText).toMatch(/1[67](\.\d)? L an hour/);
    expect(pageText).toMatch(/Empty in\s+about (9|10|11) hours/);
    for (const soothing of ['Lasts', 'Nothing to do', 'at its usual use', '20% in'])
      expect(pageText).not.toContain(soothing);
    const steps = await page.locator('.steps li b').allInnerTexts();
    expect(steps[0]).toBe('Call the customer.');
    expect(steps[1]).toContain('call 911');
    expect(await page.locator('.steps a[href^="tel:"]').count()).toBe(2);
    // On the page of the tank, the chart comes after what to do.
    const order = await page.evaluate<number>(`document.querySelector('.steps').compareDocumentPosition(
    document.querySelector('section[aria-label="Level over time"]')) & Node.DOCUMENT_POSITION_FOLLOWING`);
    expect(order).toBeGreaterThan(0);

    await page.goto('/console/');
    const row = sectionOf(page, /^Losing/).locator(`tr[data-tank="${day.idOf('leak')}"]`);
    await row.waitFor();
    expect(await row.innerText()).toMatch(/34%[\s\S]*(9|10|11) hours[\s\S]*at this rate[\s\S]*L an hour/);
    await page.context().close();

    const owner = await openSignedIn(browser, api, { key: day.ofAnn, viewport: { width: 390, height: 844 } });
    await owner.page.locator('.owner-tank.leaking').first().waitFor();
    const text = await owner.page.locator('.owner-tank.leaking').last().innerText();
    expect(text).toContain('Possible gas leak');
    expect(text.indexOf('Go outside now.')).toBeLessThan(text.indexOf('Touch no switch.'));
    expect(text.indexOf('Touch no switch.')).toBeLessThan(text.indexOf('Call 911'));
    expect(text.indexOf('Call 911')).toBeLessThan(text.indexOf('What the gauge shows'));
    for (const soothing of ['Lasts', 'Nothing to do']) expect(text).not.toContain(soothing);
    expect([...faults, ...owner.faults]).toEqual([]);
  },
);

test('a section of the day that fails to load says so and has an unknown count, and a retry repairs it', async ({
  browser,
  api,
  database,
}) => {
  const day = await givenDayBefore(database);
  const { page } = await openSignedIn(browser, api, { key: day.key });
  const section = sectionOf(page, /^Low now/);
  await section.locator('tr[data-tank]').first().waitFor();
  const isLow = (url: URL): boolean => url.pathname === '/fleet/v1/tanks' && /(section|status)=low/.test(url.search);
  await page.route(isLow, (route) =>
    route.fulfill({ status: 503, body: '{}', contentType: 'application/problem+json' }),
  );
  await page.reload();
  await section.getByText('could not be loaded').waitFor();
  expect(await section.innerText()).toContain('The service has a problem. Try again in a minute.');
  expect(await page.locator('.incomplete').innerText()).toContain('Could not load: “Low now”. Try again.');
  expect(await page.locator('.strip [data-section=low] b').innerText()).toBe('?');
  expect(await section.locator('.count').innerText()).toBe('?');
  await sectionOf(page, /^Losing/)
    .locator('tr[data-tank]')
    .first()
    .waitFor();

  await page.unrouteAll();
  const retry = section.getByRole('button', { name: 'Try again' });
  const retryAndCount = async (): Promise<number> => {
    await retry.click({ timeout: 1_000 }).catch(() => {}); // the button is gone if the page has already read again by itself
    return section.locator('tr[data-tank]').count();
  };
  await expect.poll(retryAndCount).toBeGreaterThan(0);
  await page.locator('.incomplete').waitFor({ state: 'detached' });
  await expectAgreement(page);
});
