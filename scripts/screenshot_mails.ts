import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { renderHtml } from '../src/mail/html.ts';
import { renderText } from '../src/mail/layout.ts';
import { mailExamples } from './mail_examples.ts';
import { type Album, Camera, type Look } from './screenshot_camera.ts';

const ZONES: Readonly<Record<Look['language'], [locale: string, timeZone: string]>> = {
  en: ['en-US', 'America/Chicago'],
  es: ['es-MX', 'America/Mexico_City'],
};

/** An example of each mail, by name. */
export const mailNames = (): string[] => Object.keys(mailExamples(...ZONES.en)).map((name) => `mail-${name}`);

/** Writes an example of each mail as text and HTML, and as a picture. */
export async function photographMails(
  context: BrowserContext,
  album: Album,
  isWanted: (name: string) => boolean,
): Promise<void> {
  const camera = await Camera.open(context, album);
  const { language } = album.look;
  for (const [kind, content] of Object.entries(mailExamples(...ZONES[language]))) {
    const name = `mail-${kind}`;
    if (!isWanted(name)) continue;
    const html = renderHtml(content);
    await writeFile(join(album.folder, `${name}.html`), html);
    await writeFile(join(album.folder, `${name}.txt`), `Subject: ${content.subject}\n\n${renderText(content)}`);
    await camera.page.setContent(html);
    await camera.take(name);
  }
}
