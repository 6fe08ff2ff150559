import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** These rules have a minor or moderate impact, which is not reported, and they are slow: they check every element or load files. */
const NOT_REPORTED = [
  'region',
  'skip-link',
  'aria-allowed-role',
  'landmark-unique',
  'heading-order',
  'no-autoplay-audio',
];
const ALL_OTHERS = JSON.stringify(Object.fromEntries(NOT_REPORTED.map((rule) => [rule, { enabled: false }])));

/** Barriers with a serious or critical impact. */
export async function findBarriers(page: Page, name: string, rules?: readonly string[]): Promise<string[]> {
  if (await page.evaluate<boolean>(`typeof axe === 'undefined'`)) await page.evaluate(AXE);
  const only = rules === undefined ? `, rules: ${ALL_OTHERS}` : `, runOnly: ${JSON.stringify(rules)}`;
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, { resultTypes: ['violations']${only} })`);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${name} ${id}: ${html}`));
}

/** Checks both themes. In the dark one only contrast is checked, because a theme changes nothing but colors. */
export async function findBarriersInThemes(page: Page, name: string, rules?: readonly string[]): Promise<string[]> {
  const found = await findBarriers(page, `${name}, light`, rules);
  await page.emulateMedia({ colorScheme: 'dark' });
  found.push(...(await findBarriers(page, `${name}, dark`, ['color-contrast'])));
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

const OVERFLOW = 'Math.max(0, document.documentElement.scrollWidth - window.innerWidth)';

/** By how many pixels a page is too wide. */
export const overflow = (page: Page): Promise<number> => page.evaluate<number>(OVERFLOW);

/** The texts of cells that reach into the next one. */
const OVERLAPS = `[...document.querySelectorAll('td, th')]
  .filter((cell) => cell.scrollWidth > cell.clientWidth + 1 && cell.clientWidth > 1 && getComputedStyle(cell).overflowX === 'visible')
  .map((cell) => cell.innerText)`;

/** The words of buttons and headings that a narrow column breaks. Strings of more than 30 letters are not words. */
const BROKEN_WORDS = `[...document.querySelectorAll('button, .button, h1, h2, h3')].flatMap((element) => {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const broken = [];
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
    for (const { 0: word, index } of text.data.matchAll(/(?<!\\S)\\p{L}{1,30}(?!\\S)/gu)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      if (range.getClientRects().length > 1) broken.push(word);
    }
  return broken;
})`;

/** What is wrong with the layout of a page at its width. */
export async function layoutFaults(page: Page): Promise<string[]> {
  const { tooWide, overlaps, broken } = await page.evaluate<{ tooWide: number; overlaps: string[]; broken: string[] }>(
    `({ tooWide: ${OVERFLOW}, overlaps: ${OVERLAPS}, broken: ${BROKEN_WORDS} })`,
  );
  return [
    ...(tooWide > 0 ? [`is ${tooWide} px too wide`] : []),
    ...overlaps.map((text) => `has a text over the next cell: ${text}`),
    ...broken.map((word) => `breaks a word: ${word}`),
  ];
}
