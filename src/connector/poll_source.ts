import type { JsonSource } from '../connectors/json_source.ts';
import type { ReadAnswer } from '../connectors/read_answer.ts';
import { MIN_WINDOW_MS, type SourceReader, WindowTooLargeError } from '../connectors/source_reader.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../values/time.ts';
import type { ConnectorState, LeasedConnector } from './connector_state.ts';
import type { Origin } from './sink.ts';

const FIRST_WINDOW_MS = DAY_MS;
const LONGEST_WINDOW_MS = 7 * DAY_MS;
/** At this interval, a round also reads the hours in which readings may have reached the source late. */
const LOOK_BACK_EVERY_MS = 6 * HOUR_MS;
/** Other rounds read only this time again. */
const SHORT_OVERLAP_MS = HOUR_MS;
/** The past is read for at most this time in a round, so that the newest readings are read in between. */
const LONGEST_BACKFILL_MS = 5 * MINUTE_MS;

export interface PollOptions {
  connector: LeasedConnector;
  source: JsonSource;
  reader: SourceReader;
  state: ConnectorState;
  /** Resolves when the stream has stored everything. */
  submit: (answer: ReadAnswer, from: Exclude<Origin, 'broker'>) => Promise<void>;
  nowMs: number;
}

/**
 * Reads the new readings of a source, then the past. The cursor moves only when the stream has stored everything before it, so that a
 * kill at any point repeats some readings and loses none. Returns in how many milliseconds the source is due again.
 */
export async function pollSource(options: PollOptions): Promise<number> {
  const { source, state } = options;
  if (!source.hasHistory) {
    await readLatest(options);
    await state.recordSuccess({ hasLookedBack: false });
    return source.intervalMinutes * MINUTE_MS;
  }
  const windows = new Windows(options);
  const { hasLookedBack } = await readNew(options, windows);
  await state.recordSuccess({ hasLookedBack });
  const isMore = await readPast(options, windows);
  return isMore ? 0 : source.intervalMinutes * MINUTE_MS;
}

/** Reads the latest reading of all devices. An interrupted round continues after its last device. */
async function readLatest({ reader, state, connector, submit }: PollOptions): Promise<void> {
  for await (const { answer, device } of reader.latest(connector.after_device)) {
    await submit(answer, 'latest');
    if (device !== null) await state.moveDevice(device);
  }
  await state.moveDevice(null);
}

async function readNew(
  { connector, source, state, nowMs }: PollOptions,
  windows: Windows,
): Promise<{ hasLookedBack: boolean }> {
  const cursorMs = connector.cursor_ms ?? nowMs - DAY_MS;
  const hasLookedBack = nowMs - (connector.looked_back_ms ?? 0) >= LOOK_BACK_EVERY_MS;
  const overlapMs = hasLookedBack
    ? source.overlapHours * HOUR_MS
    : Math.min(SHORT_OVERLAP_MS, source.overlapHours * HOUR_MS);
  // The period is read in two parts, so that readings before the cursor are marked as read again.
  await windows.read(cursorMs - overlapMs, Math.min(cursorMs, nowMs), true);
  await windows.read(cursorMs, nowMs, false, (toMs) => state.moveCursor(toMs, windows.lengthMs));
  return { hasLookedBack };
}

/** Reads the past, the oldest readings first. Returns whether some of it is left. */
async function readPast({ connector, state }: PollOptions, windows: Windows): Promise<boolean> {
  const { backfill_ms: fromMs, backfill_to_ms: toMs } = connector;
  if (fromMs === null || toMs === null) return false;
  const endMs = performance.now() + LONGEST_BACKFILL_MS;
  let isLeft = true;
  await windows.read(fromMs, toMs, false, async (atMs) => {
    isLeft = atMs < toMs;
    await state.moveBackfill(isLeft ? atMs : null, windows.lengthMs);
    return performance.now() < endMs;
  });
  return isLeft;
}

/** Reads a period in windows that fit into a page of the source. */
class Windows {
  readonly #options: PollOptions;
  lengthMs: number;

  constructor(options: PollOptions) {
    this.#options = options;
    const { window_seconds: seconds } = options.connector;
    this.lengthMs = seconds === null ? FIRST_WINDOW_MS : seconds * SECOND_MS;
  }

  /** `onRead` is called when everything up to a time is stored. It returns false to stop reading. */
  async read(
    fromMs: number,
    toMs: number,
    isReadAgain: boolean,
    onRead: (toMs: number) => Promise<boolean | void> = async () => {},
  ): Promise<void> {
    const { reader, source, submit } = this.#options;
    let atMs = fromMs;
    while (atMs < toMs) {
      const endMs = Math.min(atMs + this.lengthMs, toMs);
      let items = 0;
      try {
        for await (const answer of reader.window({ fromMs: atMs, toMs: endMs })) {
          await submit(answer, isReadAgain ? 'cloud again' : 'cloud');
          items += answer.items;
        }
      } catch (error) {
        if (!(error instanceof WindowTooLargeError)) throw error;
        // The length is stored in whole seconds.
        this.lengthMs = Math.max(MIN_WINDOW_MS, Math.floor((endMs - atMs) / 2 / SECOND_MS) * SECOND_MS);
        continue;
      }
      const isWhole = endMs - atMs === this.lengthMs;
      if (isWhole && source.pages !== null && items * 3 < source.pages.size)
        this.lengthMs = Math.min(LONGEST_WINDOW_MS, this.lengthMs * 2);
      if ((await onRead(endMs)) === false) return;
      atMs = endMs;
    }
  }
}
