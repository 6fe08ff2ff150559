import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Barriers with a serious or critical impact. Colours are all that a theme changes. */
export async function findBarriers(page: Page, name: string, rules?: readonly string[]): Promise<string[]> {
  if (await page.evaluate<boolean>(`typeof axe === 'undefined'`)) await page.evaluate(AXE);
  const only = rules === undefined ? '' : `, runOnly: ${JSON.stringify(rules)}`;
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, { resultTypes: ['violations']${only} })`);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${name} ${id}: ${html}`));
}

/** By how many pixels a page is too wide. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate<number>('Math.max(0, document.documentElement.scrollWidth - window.innerWidth)');

export interface Look {
  widths: readonly number[];
  /** All rules unless given. */
  rules?: readonly string[];
}

/** Checks a loaded page in both themes, and that it does not scroll sideways. */
export async function checkPage(page: Page, name: string, { widths, rules }: Look): Promise<string[]> {
  const found = await findBarriers(page, `${name}, light`, rules);
  await page.emulateMedia({ colorScheme: 'dark' });
  found.push(...(await findBarriers(page, `${name}, dark`, ['color-contrast'])));
  await page.emulateMedia({ colorScheme: 'light' });
  const size = page.viewportSize();
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    const pixels = await overflow(page);
    if (pixels > 0) found.push(`${name} is ${pixels} px too wide at ${width} px`);
  }
  if (size !== null) await page.setViewportSize(size);
  return found;
}
