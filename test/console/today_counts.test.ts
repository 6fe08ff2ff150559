import type { Pool } from 'pg';
import type { Page, Request } from 'playwright-core';
import { expect } from 'vitest';
import { fireAllTimers } from '../../src/evaluation/fire_timers.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { givenCustomer, givenKey, givenOrganization, givenTanks } from '../support/fleet.ts';
import type { TestDatabase } from '../support/test.ts';
import { isWhole } from '../support/whole_tests.ts';
import { givenWorstDay } from '../support/worst_day.ts';
import { openSignedIn, test } from './console_test.ts';

const whole = test.runIf(isWhole('console/today_counts'));

const TANKS = 2_000;
const READINGS = 13;

/** Tanks with a reading every six hours over three days. The last level and its age decide the section. */
async function givenTwoThousand({ operator, writer }: TestDatabase) {
  const nowMs = Date.now();
  const organizationNo = await givenOrganization(operator);
  const owner = await givenCustomer(operator, organizationNo, { name: 'Granja', phone: '+52 462 100 2000' });
  const tanks = await givenTanks(
    operator,
    organizationNo,
    owner.no,
    Array.from({ length: TANKS }, (_, index) => ({ name: `Tank ${index}`, custom_id: `N-${index}`, city: 'Celaya' })),
  );
  const ingester = new BatchIngester(writer);
  const series = tanks.map(({ no }, index) => {
    const isSilent = index % 20 === 7;
    const isRefilled = index % 25 === 3;
    const endMs = nowMs - (isSilent ? 12 * DAY_MS : 0) - (index % 60) * 60_000;
    return Array.from({ length: READINGS }, (_unused, step) => {
      const hoursLeft = (READINGS - 1 - step) * 6;
      const fill = 12 + (index % 40) * 1.5 + (hoursLeft / 24) * (1 + (index % 3));
      const refill = isRefilled && hoursLeft <= 12 ? 80 - (index % 5) : fill;
      return { tankNo: no, atMs: endMs - hoursLeft * HOUR_MS, fillPercentage: Math.round(refill * 10) / 10 };
    });
  });
  // Some tanks have never reported.
  const reporting = series.filter((_, index) => index % 100 !== 99);
  for (let start = 0; start < reporting.length; start += 100)
    await ingester.ingestReadings(reporting.slice(start, start + 100).flat());
  await fireAllTimers(writer, nowMs);
  return { organizationNo, key: (await givenKey(operator, { organizationNo })).text };
}

/** Counts the tanks of each section in SQL. A tank is in the first section whose condition holds. */
async function sectionsBySql(owner: Pool, organizationNo: number): Promise<Record<string, number>> {
  const { rows } = await owner.query<{ section: string; count: number }>(
    `with today as (select (now() at time zone time_zone)::date as day from organizations where no = $1)
    select case
        when losing_seen_at > now() - interval '48 hours' then 'losing'
        when is_low then 'low'
        when unusual_use_at > now() - interval '72 hours' then 'unusual_use'
        when is_gauge_unreliable then 'gauge'
        when is_silent and threshold_on <= day then 'silent_low'
        when threshold_on <= day + 2 then 'due'
        when refilled_on >= day - 1 then 'refilled'
        else 'none' end as section, count(*)::int as count
    from fleet_tanks, today where organization_no = $1 group by 1`,
    [organizationNo],
  );
  return Object.fromEntries(rows.map(({ section, count }) => [section, count]));
}

whole(
  'with 2,000 tanks the counts of the day are those of the database, and "All" opens the complete list',
  async ({ browser, api, database }) => {
    const { organizationNo, key } = await givenTwoThousand(database);
    const counted = await sectionsBySql(database.owner, organizationNo);
    for (const name of ['low', 'silent_low', 'due', 'refilled']) expect(counted[name] ?? 0, name).toBeGreaterThan(20);
    const { page, faults } = await openSignedIn(browser, api, { key });
    await page.locator('.today tr[data-tank]').first().waitFor();
    const number = (text: string): number => Number(text.replaceAll(/\D/g, ''));
    const headings = {
      low: 'Low now',
      silent_low: 'Silent, probably low',
      due: 'Within 3 days',
      refilled: 'Refilled since yesterday',
    };
    for (const [name, heading] of Object.entries(headings)) {
      const title = page.locator('.today h2').filter({ hasText: heading });
      expect([name, number(await title.locator('.count').innerText())]).toEqual([name, counted[name]]);
    }
    for (const jump of await page.locator('.strip [data-section]').all()) {
      const name = (await jump.getAttribute('data-section')) ?? '';
      expect([name, number(await jump.locator('b').innerText())]).toEqual([name, counted[name] ?? 0]);
    }
    const head = await page.locator('.page-head .meta').innerText();
    expect(head).toContain('20 do not report yet');

    // Each tank stands in one section.
    const ids = await page
      .locator('tr[data-tank]')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-tank')));
    expect(new Set(ids).size).toBe(ids.length);
    const reads = noteSectionReads(page);
    for (const name of ['low', 'silent_low', 'due', 'refilled']) {
      await page.goto('/console/');
      const all = page.locator(`#${name} .part-foot a`);
      expect(number(await all.innerText())).toBe(counted[name]);
      await all.click();
      await page.locator('.pager').waitFor();
      expect(await page.locator('.pager').innerText()).toContain(`of ${(counted[name] ?? 0).toLocaleString('en-US')}`);
    }
    // Handled tanks are read last. Otherwise a tank that becomes handled between two reads would be in no section.
    expect(reads.slice(0, reads.indexOf('asks handled'))).toEqual(
      expect.arrayContaining(['has losing', 'has low', 'has gauge', 'has silent_low']),
    );
    expect(faults).toEqual([]);
  },
);

/** Records in order when a section is requested (`asks`) and when its answer has arrived (`has`). */
function noteSectionReads(page: Page): string[] {
  const reads: string[] = [];
  const record = (event: string) => (request: Request) => {
    const name = new URL(request.url()).searchParams.get('section');
    if (name !== null) reads.push(`${event} ${name}`);
  };
  page.on('request', record('asks'));
  page.on('requestfinished', record('has'));
  return reads;
}

test('a low tank says when it is empty: on the day, in the fleet, and to its owner', async ({
  browser,
  api,
  database,
  fleet,
}) => {
  const { page } = await openSignedIn(browser, api, { key: fleet.key });
  const emptyOf = (row: string): Promise<string> => page.locator(`${row} .c-empty`).first().innerText();
  await page.locator('.today tr[data-tank]').first().waitFor();
  expect(await emptyOf(`.today tr[data-tank="${fleet.bakery.id}"]`)).toMatch(/1[0-4] days/);
  await page.goto('/console/fleet');
  await page.locator('tr[data-tank]').first().waitFor();
  expect(await emptyOf(`tr[data-tank="${fleet.bakery.id}"]`)).toMatch(/1[0-4] days/);
  await page.context().close();

  const { ofAnn } = await givenWorstDay(database);
  const { page: owner } = await openSignedIn(browser, api, { key: ofAnn });
  const low = owner.locator('.owner-tank').filter({ has: owner.getByRole('heading', { name: 'emptier' }) });
  await low.waitFor();
  expect(await low.innerText()).toMatch(/Empty in about [89] days/);
});
