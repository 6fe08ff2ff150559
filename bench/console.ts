import type { Browser, Page } from 'playwright-core';
import { startApi } from '../engines/api.ts';
import { launchBrowser } from '../engines/browser.ts';
import { issueOneKey } from '../engines/tenant.ts';
import { FULL_BUDGET, packMonths } from '../src/telemetry/pack_months.ts';
import { DAY_MS } from '../src/values/time.ts';
import { createFleet } from './bulk_fleet.ts';
import { startBenchDatabase } from './database.ts';
import { fillSeries } from './fleet.ts';
import { atMost, type BenchOptions, figure, type Report, upperMedian } from './report.ts';

const MAX_WAIT_MS = 60_000;

/**
 * Waits until the page has the element, and returns the time since the page began. Checks in each frame. After a minute it
 * throws an error with the text of the page.
 */
const measureShownMs = (page: Page, selector: string): Promise<number> =>
  page.evaluate<number>(`new Promise((resolve, reject) => {
    const look = () => {
      if (document.querySelector('${selector}')) resolve(performance.now());
      else if (performance.now() > ${MAX_WAIT_MS}) reject(new Error('no ${selector} in: ' + document.body.innerText));
      else requestAnimationFrame(look);
    };
    look();
  })`);

/** Measures the time from the change of the input to the first result on the screen. */
async function measureSearchMs(page: Page, text: string): Promise<number> {
  await page.evaluate(`addEventListener('input', () => { window.typedAtMs = performance.now(); }, { capture: true })`);
  const shownMs = measureShownMs(page, '.results li');
  await page.locator('.search input').fill(text);
  return (await shownMs) - (await page.evaluate<number>('window.typedAtMs'));
}

/** Reads the longest task of the page so far: 0 if none took 50 ms, because the browser does not report shorter ones. */
const readLongestTaskMs = (page: Page): Promise<number> =>
  page.evaluate<number>(`new Promise((resolve) => {
    const durations = [0];
    new PerformanceObserver((list) => durations.push(...list.getEntries().map((entry) => entry.duration)))
      .observe({ type: 'longtask', buffered: true });
    setTimeout(() => resolve(Math.max(...durations)), 200);
  })`);

/**
 * Measures the console in a browser, with 100,000 tanks and a tank with a million readings. Run `npm run build:console`
 * first. A busy machine slows a browser more than a server, so the targets are for minima; medians are beside them.
 */
export async function benchConsole({ isQuick, log }: BenchOptions): Promise<Report> {
  const tanks = isQuick ? 5_000 : 100_000;
  const readings = isQuick ? 20_000 : 1_000_000;
  const runs = isQuick ? 2 : 7;
  await using database = await startBenchDatabase();
  const { owner } = database;
  const nowMs = Date.now();
  let browser: Browser | undefined;
  try {
    const fleet = await createFleet(owner, { tanks, tanksPerOwner: 20, latestMs: nowMs - DAY_MS, log });
    await fillSeries(owner, fleet.firstTankNo, readings, nowMs, log);
    await packMonths(owner, FULL_BUDGET); // as the worker does
    await owner.query('vacuum analyze');
    const key = await issueOneKey(owner, { organizationNo: fleet.organizationNo });
    const api = await startApi(database.urls.api);
    browser = await launchBrowser();
    const context = await browser.newContext({ baseURL: api.url, locale: 'en-US' });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    await page.goto('/console/');
    await page.evaluate(async (apiKey) => {
      const headers = { 'content-type': 'application/json' };
      await fetch('/session', { method: 'POST', headers, body: JSON.stringify({ api_key: apiKey }) });
    }, key);

    const [paints, searches, tasks]: [number[], number[], number[]] = [[], [], []];
    const [plots, chartTasks]: [number[], number[]] = [[], []];
    for (let run = 0; run < runs; run++) {
      log(`run ${run + 1} of ${runs}`);
      await page.goto('/console/fleet', { waitUntil: 'commit' });
      paints.push(await measureShownMs(page, 'tr[data-tank]'));
      searches.push(await measureSearchMs(page, `d${4_700 + run}`));
      tasks.push(await readLongestTaskMs(page));
      await page.goto(`/console/tanks/${fleet.tankId}?range=all`, { waitUntil: 'commit' });
      plots.push(await measureShownMs(page, 'figure.chart canvas'));
      chartTasks.push(await readLongestTaskMs(page));
    }
    await api.close();
    return {
      name: 'console',
      tanks,
      readings,
      checks: [
        atMost('first rows of the fleet: ms', Math.min(...paints), 1_500),
        figure('first rows of the fleet, median: ms', upperMedian(paints)),
        atMost('search for a device: ms', Math.min(...searches), 200),
        figure('search for a device, median: ms', upperMedian(searches)),
        atMost('longest task of the fleet and its search: ms', Math.min(...tasks), 100),
        figure('longest task of the fleet and its search, median: ms', upperMedian(tasks)),
        atMost(`chart of ${readings} readings, with its page: ms`, Math.min(...plots), 1_000),
        figure(`chart of ${readings} readings, with its page, median: ms`, upperMedian(plots)),
        atMost('longest task of the page with the chart: ms', Math.min(...chartTasks), 100),
        figure('longest task of the page with the chart, median: ms', upperMedian(chartTasks)),
      ],
    };
  } finally {
    await browser?.close();
  }
}
