import type { Browser, Page } from 'playwright-core';
import { launchBrowser, SOFTWARE_WEBGL } from '../../engines/browser.ts';
import { givenBigFleet } from './console_fleet.ts';
import { test as base } from './console_test.ts';

/** 120 tanks in three towns. The tank `Ranch 61` is losing gas. */
export const test = base.extend<{
  $worker: { browser: Browser };
  $file: { bigFleet: Awaited<ReturnType<typeof givenBigFleet>> };
}>({
  browser: [
    // oxlint-disable-next-line no-empty-pattern -- vitest reads what a fixture needs from this pattern
    async ({}, use) => {
      const browser = await launchBrowser(SOFTWARE_WEBGL);
      await use(browser);
      await browser.close();
    },
    { scope: 'worker' },
  ],
  bigFleet: [
    async ({ database }, use) => {
      const bigFleet = await givenBigFleet(database);
      await database.owner.query('update fleet_tanks set losing_seen_at = now() where tank_no = $1', [
        bigFleet.tanks[60]?.no,
      ]);
      await use(bigFleet);
    },
    { scope: 'file' },
  ],
});

interface Drawn {
  tank: string | null;
  tanks: number;
  classes: string;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The marks that are inside of the map. */
export const drawnMarks = (page: Page): Promise<Drawn[]> =>
  page.evaluate<Drawn[]>(`(() => {
    const frame = document.querySelector('.map').getBoundingClientRect();
    return [...document.querySelectorAll('.map-marks [data-mark]')].map((mark) => {
      const { left, top, right, bottom } = mark.getBoundingClientRect();
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      const isInside = right > left && x > frame.left && x < frame.right && y > frame.top && y < frame.bottom;
      return isInside
        ? { tank: mark.dataset.tank ?? null, tanks: Number(mark.dataset.tanks), classes: mark.className, left, top, right, bottom }
        : null;
    }).filter((mark) => mark !== null);
  })()`);

/** The pairs of marks whose circles overlap. */
export const overlapping = (marks: readonly Drawn[]): string[] =>
  marks.flatMap((one, index) =>
    marks.slice(index + 1).flatMap((other) => {
      const distance = Math.hypot(
        (one.left + one.right - other.left - other.right) / 2,
        (one.top + one.bottom - other.top - other.bottom) / 2,
      );
      const radii = (one.right - one.left + other.right - other.left) / 2;
      return distance < radii - 1 ? [`${one.classes} ${one.tanks} and ${other.classes} ${other.tanks}`] : [];
    }),
  );

export const sum = (marks: readonly Drawn[]): number => marks.reduce((all, { tanks }) => all + tanks, 0);
export const statusText = (page: Page): Promise<string> => page.locator('.map-note [role=status]').innerText();
export const untilMapIsDrawn = (page: Page): Promise<void> =>
  page.locator('.map-marks [data-mark]').first().waitFor({ state: 'attached' });
/** The names that the background shows. */
export const drawnNames = async (page: Page): Promise<string[]> =>
  ((await page.locator('.map').getAttribute('data-names')) ?? '').split('|');
