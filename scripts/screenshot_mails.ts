import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { renderHtml } from '../src/mail/html.ts';
import { renderText } from '../src/mail/layout.ts';
import { mailExamples } from './mail_examples.ts';
import { type Album, Camera } from './screenshot_camera.ts';
import { LANGUAGES, LIGHT, type Look } from './screenshot_looks.ts';

const ZONES: Readonly<Record<Look['language'], [locale: string, timeZone: string]>> = {
  en: ['en-US', 'America/Chicago'],
  es: ['es-MX', 'America/Mexico_City'],
};

/** An example of each mail, by name. */
export const mailNames = (): string[] => Object.keys(mailExamples(...ZONES.en)).map((name) => `mail-${name}`);

/** Writes an example of each mail as text and HTML, and as pictures in the width of a mail program and of a phone. */
export async function photographMails(
  context: BrowserContext,
  album: Album,
  isWanted: (name: string) => boolean,
): Promise<void> {
  const camera = await Camera.open(context, album);
  for (const language of LANGUAGES) {
    for (const [kind, content] of Object.entries(mailExamples(...ZONES[language]))) {
      const name = `mail-${kind}`;
      if (!isWanted(name)) continue;
      const html = renderHtml(content);
      await writeFile(join(album.folder, `${name}-${language}.html`), html);
      await writeFile(
        join(album.folder, `${name}-${language}.txt`),
        `Subject: ${content.subject}\n\n${renderText(content)}`,
      );
      await camera.page.setContent(html);
      for (const look of LIGHT.filter((one) => one.language === language)) await camera.take(name, look);
    }
  }
}
