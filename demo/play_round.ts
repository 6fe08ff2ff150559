import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { NOTE_SERIES, STORY_DRIVER, STORY_TRUCK } from './provision_deliveries.ts';
import { REFILL, storyDay } from './story.ts';

export interface RoundStoryOptions {
  /** The address of the API. */
  url: string;
  /** A key that may plan rounds. */
  key: string;
  /** The tank whose owner calls, and which is refilled. */
  tankId: string;
  /** The number of the delivery note. */
  noteNumber: number;
  durationMs: number;
  onNews: (line: string) => void;
}

/** The beginning of each part as a share of the duration. The gauge of the refilled tank reports after the driver. */
const PARTS = { plan: 0.05, notPossible: 0.25, delivered: 0.35, check: 0.45 } as const;
const CHECK_EVERY_MS = 500;

interface Named {
  id: string;
  name: string;
}
interface Stop {
  number: number;
  tank_id: string;
}
interface LedgerEntry {
  verdict: string;
  gauge_volume: number | null;
  from_volume: number | null;
  to_volume: number | null;
  notes: readonly { number: string }[];
}

/**
 * Plans a round as a dispatcher; the driver finds a closed gate and fills the tank of the story, and the note is compared with the
 * gauge. The other stops are left to the visitor. Returns a function that stops it.
 */
export function playRound(options: RoundStoryOptions): () => Promise<void> {
  const stopping = new AbortController();
  const playing = play(options, stopping.signal).catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
  return async () => {
    stopping.abort();
    await playing;
  };
}

async function play(options: RoundStoryOptions, signal: AbortSignal): Promise<void> {
  const { url, key, tankId, durationMs, onNews } = options;
  const startMs = performance.now();
  const until = (share: number): Promise<void> =>
    sleep(Math.max(0, startMs + share * durationMs - performance.now()), undefined, { signal });
  const call = async <Answer>(method: string, path: string, body?: object, token?: string): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, {
      method,
      signal,
      headers: {
        ...(token === undefined ? { 'x-api-key': key } : { authorization: `Bearer ${token}` }),
        ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return JSON.parse(await response.text());
  };

  await until(PARTS.plan);
  const round = await planRound(options, call);
  const { url: link } = await call<{ url: string }>('POST', `/manage/v1/rounds/${round.id}/driver-link`);
  const token = link.slice(link.indexOf('#') + 1);
  onNews(`story    the bakery calls, and a dispatcher plans a round: ${round.text}`);
  onNews(`story    the link for the driver, also for you: ${link.startsWith('/') ? url : ''}${link}`);

  const report = (stop: Stop, values: object): Promise<unknown> =>
    call(
      'PUT',
      `/driver/v1/entries/${randomUUID()}`,
      {
        stop: stop.number,
        tank_id: stop.tank_id,
        volume: null,
        unit: null,
        reason: null,
        comment: null,
        note: null,
        filled_to: null,
        at: new Date().toISOString(),
        ...values,
      },
      token,
    );
  await until(PARTS.notPossible);
  const closed = round.stops.find(({ tank_id }) => tank_id !== tankId);
  if (closed) {
    await report(closed, { kind: 'not_possible', reason: 'no_access', comment: 'The gate is closed.' });
    onNews('story    the driver finds a closed gate: not possible');
  }
  await until(PARTS.delivered);
  const stop = round.stops.find(({ tank_id }) => tank_id === tankId);
  if (!stop) throw new Error('the round does not visit the tank of the story');
  const number = String(options.noteNumber);
  const note = `${NOTE_SERIES}-${number}`;
  await report(stop, { kind: 'delivered', volume: REFILL.noteGallons, unit: 'gallons', note });
  onNews(`story    the driver fills the tank of the bakery: ${REFILL.noteGallons} gallons, note ${note}`);

  await until(PARTS.check);
  const entry = await untilCompared(() => call('GET', `/fleet/v1/ledger?tank_id=${tankId}`), number, signal);
  const { gauge_volume, from_volume, to_volume, verdict } = entry;
  const whole = (volume: number | null): string => String(Math.round(volume ?? 0));
  onNews(
    `story    note ${note} says ${REFILL.noteGallons} gallons, the gauge ${whole(gauge_volume)} ` +
      `(${whole(from_volume)} to ${whole(to_volume)}): ${verdict.replace('_', ' ')}`,
  );
}

const OTHER_CALLS = 5;

type Call = <Answer>(method: string, path: string, body?: object) => Promise<Answer>;

async function planRound({ tankId }: RoundStoryOptions, call: Call) {
  const idOf = async (path: string, wanted: string): Promise<string> => {
    const { data } = await call<{ data: readonly Named[] }>('GET', `/manage/v1/${path}`);
    return data.find(({ name }) => name === wanted)?.id ?? '';
  };
  const [truck_id, driver_id] = [await idOf('trucks', STORY_TRUCK), await idOf('drivers', STORY_DRIVER)];
  const date = storyDay(Date.now());
  // On some days no other tank is urgent. The customers with the lowest levels call too, so that the round has several stops.
  const { data: lowest } = await call<{ data: readonly { tank: { id: string } }[] }>(
    'GET',
    `/fleet/v1/tanks?sort=level&size=${OTHER_CALLS}`,
  );
  const called_tank_ids = [...new Set([tankId, ...lowest.map(({ tank }) => tank.id)])];
  const proposal = await call<{
    volume: number;
    capacity: number;
    stops: readonly { tank_id: string; kind: string; volume: number }[];
  }>('POST', '/manage/v1/round-proposals', { date, truck_id, called_tank_ids });
  const stops = proposal.stops.map(({ tank_id, kind, volume }) => ({ tank_id, kind, volume }));
  const round = await call<{ id: string; stops: readonly Stop[] }>('POST', '/manage/v1/rounds', {
    date,
    truck_id,
    driver_id,
    stops,
  });
  const volume = `${Math.round(proposal.volume)} of ${proposal.capacity} gallons`;
  return { ...round, text: `${STORY_TRUCK}, ${stops.length} stops, ${volume}` };
}

/** Waits until the gauge has reported and the note is compared. */
async function untilCompared(
  read: () => Promise<{ entries: readonly LedgerEntry[] }>,
  number: string,
  signal: AbortSignal,
): Promise<LedgerEntry> {
  for (;;) {
    const { entries } = await read();
    const entry = entries.find(({ notes }) => notes.some((note) => note.number === number));
    if (entry !== undefined && entry.verdict !== 'waiting') return entry;
    await sleep(CHECK_EVERY_MS, undefined, { signal });
  }
}
