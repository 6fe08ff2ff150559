import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';

export const WIDTHS = { desk: 1_440, tablet: 1_024, phone: 390 } as const;

/** The appearance of all pictures of a run. */
export interface Look {
  width: keyof typeof WIDTHS;
  language: 'en' | 'es';
  theme: 'light' | 'dark';
}

/** Counts the pictures, and the faults that a program can find. */
export interface Album {
  folder: string;
  look: Look;
  /** The expected number of pictures. */
  total: number;
  saved: number;
  faults: string[];
  startedAtMs: number;
}

/** Reading and drawing have ended if nothing changes for this time. The clock of the page changes texts only every 30 s. */
const QUIET_MS = 100;
const MAX_WAIT_MS = 60_000;
/** Pictures are cut at this height, because rows only repeat below it. */
const MAX_HEIGHT = 4_000;

const QUIET = `(async () => {
  let changedMs = performance.now();
  const observer = new MutationObserver(() => { changedMs = performance.now(); });
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  const isLoading = () => document.querySelector('.skeleton') !== null || document.fonts.status !== 'loaded';
  const endsMs = performance.now() + ${MAX_WAIT_MS};
  while (isLoading() || performance.now() - changedMs < ${QUIET_MS}) {
    if (performance.now() > endsMs) break;
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  observer.disconnect();
  return document.documentElement.scrollWidth - window.innerWidth;
})()`;

/** One page of a browser that is used for many pictures. */
export class Camera {
  readonly page: Page;
  readonly #album: Album;
  /** Requests without an answer. The live stream never has one. */
  readonly #pending = new Set<unknown>();
  /** True if the service hangs. Then the picture is taken without its answers. */
  isHung = false;

  private constructor(page: Page, album: Album) {
    this.page = page;
    this.#album = album;
    page.setDefaultTimeout(MAX_WAIT_MS);
    page.on('request', (request) => {
      if (request.resourceType() !== 'eventsource') this.#pending.add(request);
    });
    // Not `requestfinished`, which never comes if a script reads only the headers.
    page.on('response', (response) => this.#pending.delete(response.request()));
    page.on('requestfailed', (request) => this.#pending.delete(request));
    page.on('pageerror', ({ message }) => album.faults.push(`${page.url()}: ${message}`));
  }

  static async open(context: BrowserContext, album: Album): Promise<Camera> {
    const camera = new Camera(await context.newPage(), album);
    const { width, theme } = album.look;
    await camera.page.setViewportSize({ width: WIDTHS[width], height: width === 'phone' ? 844 : 900 });
    await camera.page.emulateMedia({ colorScheme: theme });
    return camera;
  }

  async take(name: string): Promise<void> {
    const tooWide = await this.#settle();
    const file = `${name}.png`;
    if (tooWide > 0) this.#album.faults.push(`${file} is ${tooWide} px too wide`);
    await writeFile(join(this.#album.folder, file), await this.#picture());
    this.#album.saved++;
    const seconds = Math.round((Date.now() - this.#album.startedAtMs) / 1_000);
    console.log(`${this.#album.saved} of ${this.#album.total}, ${seconds} s: ${file}`);
  }

  /** Waits until two pictures of a map are equal, because WebGL draws without a change of the document. */
  async #picture(): Promise<Buffer> {
    const height = await this.page.evaluate<number>('document.documentElement.scrollHeight');
    const clip = { x: 0, y: 0, width: this.page.viewportSize()?.width ?? 0, height: Math.min(height, MAX_HEIGHT) };
    const options = { fullPage: true, clip, animations: 'disabled' } as const;
    let picture = await this.page.screenshot(options);
    for (let hasChanged = (await this.page.locator('canvas.maplibregl-canvas').count()) > 0; hasChanged; ) {
      const next = await this.page.screenshot(options);
      hasChanged = !next.equals(picture);
      picture = next;
    }
    return picture;
  }

  /** Waits until everything is read and drawn. Returns by how many pixels the page is too wide. */
  async #settle(): Promise<number> {
    const endsMs = Date.now() + MAX_WAIT_MS;
    for (;;) {
      const tooWide = await this.page.evaluate<number>(QUIET);
      if (this.#pending.size === 0 || this.isHung || Date.now() > endsMs) return tooWide;
    }
  }
}
