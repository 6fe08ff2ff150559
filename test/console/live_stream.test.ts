import { expect, onTestFinished, test, vi } from 'vitest';

/** The root configuration of TypeScript has no types of a browser, so the module is imported with this type. */
interface LiveStreamModule {
  liveStream: {
    connection: () => { state: string };
    observe: (observer: { tankIds: string[]; onCatchUp: (isAfterOutage: boolean) => void }) => () => void;
  };
}

type StreamAnswer = 'opens' | 'is refused' | 'hangs';

const ANSWER_MS = 50;

/** A page with a fake clock, and a service that answers after 50 ms as the test chooses. */
async function givenPage() {
  vi.useFakeTimers();
  const page = { isServiceUp: true, streamAnswer: 'opens' as StreamAnswer, requests: 0, caughtUp: [] as boolean[] };
  class TestEventSource extends EventTarget {
    #timer = setInterval(() => this.#answer(), ANSWER_MS);
    #isOpen = false;

    constructor() {
      super();
      page.requests += 1;
    }

    close(): void {
      clearInterval(this.#timer);
    }

    #answer(): void {
      if (!page.isServiceUp || page.streamAnswer === 'hangs') return;
      if (page.streamAnswer === 'is refused') this.close();
      if (this.#isOpen) this.dispatchEvent(new MessageEvent('heartbeat', { data: '{}' }));
      else this.dispatchEvent(new Event(page.streamAnswer === 'opens' ? 'open' : 'error'));
      this.#isOpen = page.streamAnswer === 'opens';
    }
  }
  const fetchHealth = async (): Promise<{ ok: boolean }> => {
    page.requests += 1;
    await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
    return { ok: page.isServiceUp };
  };
  vi.stubGlobal('EventSource', TestEventSource);
  vi.stubGlobal('fetch', fetchHealth);
  vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }));
  vi.stubGlobal('window', new EventTarget());
  vi.resetModules(); // each page has its own stream
  const { liveStream } = await vi.importActual<LiveStreamModule>('../../packages/console/src/live/live_stream.ts');
  const end = liveStream.observe({ tankIds: [], onCatchUp: (isAfterOutage) => page.caughtUp.push(isAfterOutage) });
  onTestFinished(() => {
    end();
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
  return { page, state: () => liveStream.connection().state };
}

/** The states of a page, every 10 ms. */
async function statesDuring(ms: number, state: () => string): Promise<string[]> {
  const states: string[] = [];
  for (let passedMs = 0; passedMs < ms; passedMs += 10) {
    await vi.advanceTimersByTimeAsync(10);
    states.push(state());
  }
  return states;
}

async function givenOutage() {
  const given = await givenPage();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(given.state()).toBe('live');
  given.page.isServiceUp = false;
  await vi.advanceTimersByTimeAsync(30_000);
  expect(given.state()).toBe('old');
  Object.assign(given.page, { isServiceUp: true, requests: 0, caughtUp: [] });
  return given;
}

test.each<StreamAnswer>(['is refused', 'hangs'])(
  'if a stream %s after an outage, the page polls at most every 4 seconds, and is live when a stream opens',
  async (streamAnswer) => {
    const { page, state } = await givenOutage();
    page.streamAnswer = streamAnswer;
    await vi.advanceTimersByTimeAsync(4_000);
    const states = await statesDuring(120_000, state);
    expect(page.requests).toBeLessThan(30);
    expect(page.requests).toBeGreaterThan(10);
    expect(new Set(states)).toEqual(new Set(streamAnswer === 'hangs' ? ['connecting', 'polling'] : ['polling']));
    expect(page.caughtUp.filter(Boolean).length).toBe(1);
    expect(page.caughtUp.length).toBeGreaterThan(8);

    page.streamAnswer = 'opens';
    await vi.advanceTimersByTimeAsync(15_000);
    expect(state()).toBe('live');
  },
);

test('a page whose first stream hangs polls as soon as it knows that the service answers', async () => {
  const { page, state } = await givenPage();
  page.streamAnswer = 'hangs';
  const states = await statesDuring(60_000, state);
  expect(new Set(states)).toEqual(new Set(['connecting', 'polling']));
  expect(page.caughtUp.length).toBeGreaterThan(2);
});

test('a page whose stream is silent is old within 11 seconds, and live within 4 seconds after the service is back', async () => {
  const { page, state } = await givenPage();
  await vi.advanceTimersByTimeAsync(5_000);
  page.isServiceUp = false;
  const states = await statesDuring(12_000, state);
  expect(states.lastIndexOf('live') * 10).toBeLessThan(11_000);
  expect(states.at(-1)).toBe('old');
  page.isServiceUp = true;
  await vi.advanceTimersByTimeAsync(4_000);
  expect(state()).toBe('live');
});
