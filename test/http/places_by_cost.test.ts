import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { MIN_PLACES, PlacesByCost } from '../../src/http/places_by_cost.ts';
import { senderAlone, Turns } from '../../src/values/turns.ts';

const LIMITS = { ownPlaces: 2, placesPerGroup: 100, placesPerMember: 100, waitingPerMember: 1_000, waiting: 1_000 };
const SENDER = senderAlone('sender');

/** Keeps 100 requests of one sender waiting, and ends those in progress after `work`, until the places are as expected. */
async function expectPlaces(work: () => Promise<void>, isExpected: (places: number) => boolean): Promise<void> {
  const turns = new Turns({ ...LIMITS, places: MIN_PLACES });
  const places = new PlacesByCost(turns);
  let isOver = false;
  const begin = async (): Promise<void> => {
    await work();
    if (!isOver) enter();
    turns.leave(SENDER);
  };
  const enter = (): void =>
    void turns.enter(SENDER, () => {
      void begin();
      return true;
    });
  for (let n = 0; n < 100; n++) enter();
  places.adapt();
  try {
    // Rarely, because a look costs this thread something too.
    await vi.waitFor(() => expect(isExpected(turns.places)).toBe(true), { timeout: 120_000, interval: 250 });
  } finally {
    isOver = true;
  }
}

test('requests that cost this thread little get all places', () =>
  expectPlaces(
    () => setImmediate(),
    (n) => n === 40,
  ));

// Timers and polls cost a thread that does nothing else 0.1 to 0.3 ms in each tick.
test('requests that wait for the database get many places', () =>
  expectPlaces(
    () => sleep(300),
    (n) => n >= 3 * MIN_PLACES,
  ));

test('requests that cost much get few places, also after cheap ones', async () => {
  let isCheap = true;
  let wereMany = false;
  const work = async (): Promise<void> => {
    await setImmediate();
    const start = process.threadCpuUsage();
    const endUs = isCheap ? 0 : 4_000;
    while (process.threadCpuUsage(start).user < endUs);
  };
  await expectPlaces(work, (places) => {
    wereMany ||= places === 40;
    isCheap = !wereMany;
    return wereMany && places === MIN_PLACES;
  });
});
