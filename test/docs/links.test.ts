import { existsSync } from 'node:fs';
import { glob, readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Code boxes and inline code can contain brackets that are not links, and lines that look like headings. */
const withoutCode = (text: string): string =>
  text.replaceAll(/^ *```.*?^ *```$/gms, '').replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ''));

/** GitHub's rule: lower case, punctuation removed, spaces to hyphens, a number for repeated headings. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutCode(text).matchAll(/^#+ (.+)$/gm)) {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let n = 1; anchors.has(anchor); n++) anchor = `${slug}-${n}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Every relative link of a page whose file or heading does not exist. */
async function brokenLinks(page: string): Promise<string[]> {
  const text = await readFile(page, 'utf8');
  const broken: string[] = [];
  for (const [, target = ''] of withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    const isFound =
      existsSync(file) &&
      (anchor === undefined || (file.endsWith('.md') && anchorsOf(await readFile(file, 'utf8')).has(anchor)));
    if (!isFound) broken.push(`${relative(ROOT, page)}: ${target}`);
  }
  return broken;
}

test('every relative link of the documentation leads to a file and a heading that exist', async () => {
  const files = await Array.fromAsync(glob('{*.md,{docs,packages,.github,migrations,bench}/**/*.md}', { cwd: ROOT }));
  const pages = files.filter((file) => !file.includes('node_modules'));
  expect(pages.length).toBeGreaterThan(15);
  const broken = await Promise.all(pages.map((page) => brokenLinks(join(ROOT, page))));
  expect(broken.flat()).toEqual([]);
});

test('headings get the anchors that GitHub gives them', () => {
  const anchors = anchorsOf(
    "# Connect a vendor's cloud\n\n```sh\n# not a heading\n```\n## Replace `DEVICE_SECRET`\n## Limits\n## Limits\n",
  );
  expect([...anchors]).toEqual(['connect-a-vendors-cloud', 'replace-device_secret', 'limits', 'limits-1']);
});

test.for(['migrations', 'docs/developers/decisions'])(
  'the README of %s names every number that is missing',
  async (folder) => {
    const files = await readdir(join(ROOT, folder));
    const numbers = files.flatMap((file) => (/^\d{4}/.test(file) ? [Number(file.slice(0, 4))] : []));
    const isUsed = new Set(numbers);
    const missing = Array.from({ length: Math.max(...numbers) }, (_, index) => index + 1).filter((n) => !isUsed.has(n));
    expect(missing.length).toBeGreaterThan(0);
    const [sentence = ''] =
      /^Numbers? .+ (?:is|are) missing/m.exec(await readFile(join(ROOT, folder, 'README.md'), 'utf8')) ?? [];
    const named = [...sentence.matchAll(/(\d+)(?: to (\d+))?/g)].flatMap(([, first, last = first]) =>
      Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index),
    );
    expect(named).toEqual(missing);
  },
);
