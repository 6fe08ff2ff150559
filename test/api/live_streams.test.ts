import type { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { LiveStreams, MAX_STREAMS } from '../../src/api/live/live_streams.ts';
import { TankChangePoller } from '../../src/api/live/tank_change_poller.ts';
import { Outage, silentLogger } from '../../src/health/outage.ts';
import { Problem } from '../../src/http/problem.ts';
import { givenCaller } from '../support/caller.ts';

function givenStreams() {
  const streams = new LiveStreams(new TankChangePoller(() => new Map(), new Outage(silentLogger, 'watching tanks')));
  onTestFinished(() => streams.close());
  const opened: { organizationNo: number; keyNo: number; stream: PassThrough }[] = [];
  const open = (organizationNo: number, keyNo: number): boolean => {
    try {
      const stream = streams.open({
        caller: givenCaller({ organizationNo, keyNo }),
        tankIds: new Map(),
        newestReadingAt: async () => null,
        reauthorize: async () => undefined,
      });
      opened.push({ organizationNo, keyNo, stream });
      return true;
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
  };
  const countOfOrganization = (no: number): number =>
    opened.filter(({ organizationNo, stream }) => organizationNo === no && !stream.destroyed).length;
  const countOfKey = (no: number): number =>
    opened.filter(({ keyNo, stream }) => keyNo === no && !stream.destroyed).length;
  return { streams, opened, open, countOfOrganization, countOfKey };
}

test('if one organization has opened all streams, each other organization still gets its share', () => {
  const { open, countOfOrganization } = givenStreams();
  for (let n = 0; n < MAX_STREAMS + 40; n++) open(1, n % 52);
  expect(countOfOrganization(1)).toBe(MAX_STREAMS);
  for (let n = 0; n < 300; n++) expect(open(2, 1_000 + (n % 20))).toBe(true);
  for (let n = 0; n < 300; n++) expect(open(3, 2_000 + (n % 20))).toBe(true);
  expect([countOfOrganization(1), countOfOrganization(2), countOfOrganization(3)]).toEqual([400, 300, 300]);
  // The first organization cannot take them back.
  for (let n = 0; n < 100; n++) open(1, n % 52);
  expect([countOfOrganization(2), countOfOrganization(3)]).toEqual([300, 300]);
  expect(open(4, 3_000)).toBe(true);
});

test('if an organization has opened all streams, a new session gets a stream of the session with the most', () => {
  const { open, countOfOrganization, countOfKey } = givenStreams();
  for (let key = 1; key <= 50; key++) for (let n = 0; n < 20; n++) open(1, key);
  expect(open(1, 51)).toBe(true);
  expect([countOfOrganization(1), countOfKey(51), countOfKey(1)]).toEqual([MAX_STREAMS, 1, 19]);
  expect(open(1, 2)).toBe(false);
});

test('a stream that is opened while the server stops ends at once, so that the server can stop', async () => {
  const { streams, opened, open } = givenStreams();
  streams.close();
  open(1, 1);
  expect(opened.map(({ stream }) => stream.writableEnded)).toEqual([true]);
});
