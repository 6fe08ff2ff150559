import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../../engines/browser.ts';
import { findProgram } from '../../engines/programs.ts';

/** The path of a script that starts the browser of this machine in the network of a container, where 127.0.0.1 is the container. */
export function browserIn(pid: number, folder: string): string {
  const script = join(folder, `browser-${pid}`);
  writeFileSync(
    script,
    `#!/bin/sh\nexec nsenter --target ${pid} --net ${findProgram('chromium-headless-shell')} "$@"\n`,
  );
  chmodSync(script, 0o755);
  return script;
}

interface Look {
  /** The origin of the console. */
  origin: string;
  /** What the page of the tank must show. */
  seen: RegExp;
  screenshot: string;
}

/** Returns the text of the page of the tank "House" as soon as it contains `seen`, or after the time limit of the page. */
export async function readTankPage(page: Page, { origin, seen, screenshot }: Look): Promise<string> {
  await page.goto(`${origin}/console/fleet`);
  await page.getByText('House').first().click();
  await page.waitForURL(/\/tanks\//);
  await page
    .getByText(seen)
    .first()
    .waitFor()
    .catch(() => {});
  await page.screenshot({ path: screenshot });
  return page.locator('body').innerText();
}

/** Signs in with a key, and returns what the page of the tank shows. */
export async function lookWithKey(look: Look & { key: string; browser?: string }): Promise<string> {
  const names = ['--ignore-certificate-errors', '--host-resolver-rules=MAP tanks.example.com 127.0.0.1'];
  const browser = await launchBrowser(['--disable-gpu', ...names], look.browser);
  try {
    const page = await (await browser.newContext({ locale: 'en-US' })).newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(`${look.origin}/console/`);
    const body = JSON.stringify({ api_key: look.key });
    await page.evaluate(
      (text) => fetch('/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body: text }),
      body,
    );
    return await readTankPage(page, look);
  } finally {
    await browser.close();
  }
}
