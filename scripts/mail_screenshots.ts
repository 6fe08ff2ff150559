import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { findProgram } from '../engines/programs.ts';
import { renderHtml } from '../src/mail/html.ts';
import { renderText } from '../src/mail/layout.ts';
import { mailExamples } from './mail_examples.ts';

/**
 * Renders an example of each mail as text and HTML, and as an image in the width of a mail program and of a phone:
 * `node scripts/mail_screenshots.ts FOLDER`.
 */
const WIDTHS = { desktop: 640, phone: 360 } as const;
const LOCALES = [
  ['es-MX', 'America/Mexico_City'],
  ['en-US', 'America/Chicago'],
] as const;

const folder = process.argv[2] ?? 'screenshots';
await mkdir(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: findProgram('chromium'),
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  for (const [language, timeZone] of LOCALES) {
    for (const [name, content] of Object.entries(mailExamples(language, timeZone))) {
      const path = join(folder, `mail-${name}-${language}`);
      const html = renderHtml(content);
      await writeFile(`${path}.html`, html);
      await writeFile(`${path}.txt`, `Subject: ${content.subject}\n\n${renderText(content)}`);
      for (const [device, width] of Object.entries(WIDTHS)) {
        const page = await browser.newPage({ viewport: { width, height: 400 } });
        await page.setContent(html);
        await page.screenshot({ path: `${path}-${device}.png`, fullPage: true });
        await page.close();
      }
      console.log(`${path}: ${content.subject}`);
    }
  }
} finally {
  await browser.close();
}
