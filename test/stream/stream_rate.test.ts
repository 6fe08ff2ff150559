import { describe, expect, test } from 'vitest';
import { rateFindings } from '../../src/doctor/stream.ts';
import { measureStreamRate } from '../../src/stream/stream_rate.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/values/time.ts';

const NOW_MS = Date.UTC(2026, 10, 15);
const GIB = 1_073_741_824;

/** A stream whose messages of 1 KiB were stored at these times, oldest first. */
function givenStream(storedAtMs: readonly number[], maxBytes = GIB) {
  let requests = 0;
  const measure = () =>
    measureStreamRate(
      {
        messages: storedAtMs.length,
        bytes: storedAtMs.length * 1_024,
        maxBytes,
        firstSequence: 1_000,
        serverTimeMs: NOW_MS,
      },
      async (sequence) => {
        requests++;
        return storedAtMs[sequence - 1_000];
      },
    );
  return { measure, requests: () => requests };
}
const everyMs = (n: number, stepMs: number) => Array.from({ length: n }, (_, index) => NOW_MS - (n - index) * stepMs);

describe('the rate of a stream', () => {
  test('is measured over the last 24 hours, without earlier messages', async () => {
    const before = Array.from({ length: 5_000 }, () => NOW_MS - 2 * DAY_MS);
    const stream = givenStream([...before, ...everyMs(1_440, MINUTE_MS)]);
    const rate = await stream.measure();
    expect(rate?.bytesPerHour).toBeCloseTo(60 * 1_024, -2);
    expect(rate?.keepsHours).toBeCloseTo((0.6 * GIB) / (60 * 1_024), 0);
    expect(rate?.hoursUntilFull).toBeCloseTo((GIB - 6_440 * 1_024) / (60 * 1_024), 0);
    expect(stream.requests()).toBeLessThan(20); // a binary search
  });

  test('counts the hours without messages if older messages exist', async () => {
    const rate = await givenStream([NOW_MS - 2 * DAY_MS, ...everyMs(24, MINUTE_MS)]).measure();
    expect(rate?.bytesPerHour).toBeCloseTo(1_024, 5);
  });

  test('is measured since the first message of a younger stream, and unknown in its first half hour', async () => {
    expect((await givenStream(everyMs(120, MINUTE_MS)).measure())?.bytesPerHour).toBeCloseTo(60 * 1_024, -1);
    expect(await givenStream(everyMs(29, MINUTE_MS)).measure()).toBeNull();
    expect(await givenStream([]).measure()).toBeNull();
  });
});

test('doctor warns of a stream that keeps less than STREAM_KEEP_DAYS, and names a sufficient size', () => {
  // With 5 million tanks and 24 readings a day, 4 GiB keep 16 hours.
  const rate = { bytesPerHour: 161_000_000, keepsHours: 16, hoursUntilFull: 8.25 };
  expect(rateFindings(rate, 16 * HOUR_MS)).toEqual([]);
  expect(rateFindings(null, 7 * DAY_MS)).toEqual([]);
  expect(rateFindings(rate, 7 * DAY_MS)).toMatchObject([
    {
      problem:
        "at today's rate the stream keeps 16 hours of stored readings instead of the 168 hours of STREAM_KEEP_DAYS, and is full 8.3 hours after the last writer stops",
      remedy: expect.stringContaining('to at least 42992'),
      isWarning: true,
    },
  ]);
});
