import type { OrganizationGauges } from '../gauges/selection.ts';
import { isDeviceId } from '../telemetry/reading.ts';
import { elementsAt, valueAt } from '../values/json_path.ts';
import { SECOND_MS } from '../values/time.ts';
import { askEach } from './ask_each.ts';
import type { JsonSource } from './json_source.ts';
import { type ReadAnswer, readAnswer } from './read_answer.ts';
import { type SourceClient, SourceError } from './source_client.ts';

export interface TimeWindow {
  fromMs: number;
  toMs: number;
}

/** Thrown if a window has at least as many readings as a page. */
export class WindowTooLargeError extends Error {}

/** A window that has more readings than a page is not divided further below this. */
export const MIN_WINDOW_MS = 60_000;
const MAX_PAGES = 1_000;
export const MAX_DEVICES = 100_000;

/** Asks a source for readings, and reads them by its profile. */
export class SourceReader {
  readonly #client: SourceClient;
  readonly #source: JsonSource;
  readonly #gauges: OrganizationGauges;
  readonly #url: string;

  constructor(client: SourceClient, source: JsonSource, gauges: OrganizationGauges, failures = 0) {
    this.#client = client;
    this.#source = source;
    this.#gauges = gauges;
    this.#url = source.urls[Math.floor(failures / 3) % source.urls.length] ?? '';
  }

  /**
   * The readings of a window. A window that fills a page throws a WindowTooLargeError, so that the caller requests a smaller one:
   * if readings are added or deleted meanwhile, others move between pages. Only the smallest window is read page by page.
   */
  async *window({ fromMs, toMs }: TimeWindow): AsyncGenerator<ReadAnswer> {
    const { pages } = this.#source;
    // A source may or may not include the ends of a window.
    const values = { from: this.#time(fromMs - SECOND_MS, Math.floor), to: this.#time(toMs, Math.ceil) };
    if (pages === null) {
      yield* this.#following(values);
      return;
    }
    const isFull = (answer: ReadAnswer): boolean => answer.items >= pages.size;
    const page = (number: number): Promise<ReadAnswer> => this.#read({ ...values, page: String(number) });
    let answer = await page(pages.first);
    if (isFull(answer) && toMs - fromMs > MIN_WINDOW_MS) throw new WindowTooLargeError();
    yield answer;
    for (let number = pages.first + 1; isFull(answer); number++) {
      if (number > MAX_PAGES) throw new SourceError('changed', `a minute has more than ${MAX_PAGES} pages`);
      answer = await page(number);
      // The previous page is read again before the last one, because readings may have moved to it meanwhile.
      if (!isFull(answer)) yield await page(number - 1);
      yield answer;
    }
  }

  /** Reads pages that name the next page, or a single page. */
  async *#following(values: Readonly<Record<string, string>>): AsyncGenerator<ReadAnswer> {
    const { nextPath } = this.#source;
    let cursor = '';
    let url = this.#url;
    for (let pages = 1; ; pages++) {
      const json = await this.#client.get(url, { ...values, cursor });
      yield await this.#readJson(json, undefined);
      const next = nextPath === null ? undefined : valueAt(json, nextPath);
      if (next === undefined || next === null || next === '') return;
      if (pages >= MAX_PAGES) throw new SourceError('changed', `an answer has more than ${MAX_PAGES} pages`);
      const text = typeof next === 'number' ? String(next) : next;
      if (typeof text !== 'string' || text === cursor) throw new SourceError('changed', 'the next page is not named');
      if (this.#url.includes('{cursor}')) cursor = text;
      else url = this.#sameOrigin(text);
    }
  }

  /** Refuses an address on another host, which would get the key. */
  #sameOrigin(next: string): string {
    const base = new URL(this.#url.replaceAll(/[{}]/g, ''));
    const url = URL.parse(next, base.href);
    if (url === null || url.origin !== base.origin)
      throw new SourceError('changed', 'the address of the next page is on another host');
    return url.href;
  }

  /** The latest readings: of all devices at once, or of one device after another, beginning after `afterDevice`. */
  async *latest(afterDevice: string | null = null): AsyncGenerator<{ answer: ReadAnswer; device: string | null }> {
    if (this.#source.devices === null) {
      for await (const answer of this.#following({})) yield { answer, device: null };
      return;
    }
    const devices = await this.devices();
    const left = devices.filter((device) => afterDevice === null || device > afterDevice);
    const ask = async (device: string): Promise<ReadAnswer> =>
      this.#readJson(await this.#client.get(this.#url, { device }), device);
    for await (const { item: device, answer } of askEach(left, ask)) yield { answer, device };
  }

  /** The ids of the devices, in order. */
  async devices(): Promise<string[]> {
    const { devices } = this.#source;
    if (devices === null) return [];
    const listed = elementsAt(await this.#client.get(devices.url), devices.path, MAX_DEVICES);
    if (listed === undefined) throw new SourceError('changed', `the answer has no ${devices.path}`);
    if (listed.length > MAX_DEVICES)
      throw new SourceError('changed', `the answer lists more than ${MAX_DEVICES} devices`);
    return listed
      .map((device) => (typeof device === 'number' ? String(device) : device))
      .filter(isDeviceId)
      .toSorted();
  }

  async #read(values: Readonly<Record<string, string>>): Promise<ReadAnswer> {
    return this.#readJson(await this.#client.get(this.#url, values), undefined);
  }

  #readJson(json: unknown, deviceId: string | undefined): Promise<ReadAnswer> {
    return readAnswer(this.#gauges, this.#source.profile, json, { deviceId, nowMs: Date.now() });
  }

  #time(ms: number, round: (seconds: number) => number): string {
    const seconds = round(ms / SECOND_MS);
    const { times } = this.#source;
    if (times === 'iso') return new Date(seconds * SECOND_MS).toISOString().replace('.000Z', 'Z');
    return String(times === 'unix' ? seconds : seconds * SECOND_MS);
  }
}
