import { expect, test } from 'vitest';
import { readLink } from '../../packages/console/driver/link.ts';
import {
  blockOf,
  type Entry,
  navigationUrl,
  nextStop,
  type Round,
  readLevel,
  readVolume,
  type Stop,
  stopsAfter,
  timeOfNext,
  withoutClosedDetails,
  withRead,
} from '../../packages/console/driver/round.ts';
import { enDriver } from '../../packages/console/driver/words/en_driver.ts';
import { esDriver } from '../../packages/console/driver/words/es_driver.ts';

const details = { customer: 'María', phones: [], address: 'Hidalgo 352', latitude: 20.5, longitude: -101, notes: [] };

const stopOf = (stop: number): Stop => ({
  stop,
  position: stop,
  why: 'must',
  tankId: `tank ${stop}`,
  tank: `Tank ${stop}`,
  customId: null,
  city: null,
  volume: 400,
  plannedVolume: null,
  isFilled: false,
  block: null,
  fillPercentage: null,
  levelAt: null,
  isDip: false,
  state: 'open',
  closedBy: null,
  isSeenByGauge: false,
  delivered: null,
  reason: null,
  details,
});

const round: Round = {
  id: 'r',
  date: '2026-11-17',
  isOver: false,
  truck: null,
  driver: null,
  organization: 'Gas',
  organizationPhone: null,
  language: 'es-MX',
  timeZone: 'America/Mexico_City',
  fillTo: 80,
  capacity: 9000,
  unit: 'liters',
  readUntil: '2026-11-18T09:00:00Z',
  sendUntil: '2026-11-25T09:00:00Z',
  stops: [stopOf(1), stopOf(2)],
};

const entryOf = (stop: number, kind: Entry['kind'], at: string, roundId = 'r'): Entry => ({
  id: at,
  roundId,
  stop,
  tankId: `tank ${stop}`,
  kind,
  volume: kind === 'delivered' ? 100 : null,
  unit: kind === 'delivered' ? 'liters' : null,
  reason: kind === 'not_possible' ? 'full' : null,
  comment: null,
  note: null,
  filledTo: null,
  at,
});

test('a driver types volumes as meters and people write them', () => {
  const read = ['450', '2095', '2,095', '2 095', "2'095", '95,5', '95.5', '1,234.5', '1.234,56'].map((text) =>
    readVolume(text, 'point'),
  );
  expect(read).toEqual([450, 2095, 2095, 2095, 2095, 95.5, 95.5, 1234.5, 1234.56]);
  expect([readVolume('2.095', 'comma'), readVolume('2.095', 'point')]).toEqual([2095, 'ambiguous']);
  for (const wrong of ['', '0', '-5', 'full', '1,23,456', '99999999'])
    expect(readVolume(wrong, 'point'), wrong).toBe(undefined);
  expect(['80', '80 %', '79,5', '79.125', '', '101', 'full'].map(readLevel)).toEqual([
    80,
    80,
    79.5,
    79.125,
    null,
    null,
    null,
  ]);
});

test('the newest entry of a stop counts, and a closed stop has no name, address and phone', () => {
  const entries = [
    entryOf(1, 'delivered', '2026-11-17T10:00:02Z'),
    entryOf(1, 'not_possible', '2026-11-17T10:00:01Z'),
    entryOf(2, 'delivered', '2026-11-17T10:00:03Z', 'another round'),
  ];
  const stops = stopsAfter(round, entries);
  expect(stops[0]).toMatchObject({ state: 'delivered', delivered: 100, isUnsent: true, details: null });
  expect(stops[1]).toMatchObject({ state: 'open', isUnsent: false, details });
  expect(nextStop(stops, null)?.stop).toBe(2);
  expect(nextStop(stops, 1)?.stop).toBe(2); // closed since it was chosen
  expect(withoutClosedDetails(round, entries).stops.map((stop) => stop.details)).toEqual([null, details]);
  const reopened = [...entries, entryOf(1, 'reopened', '2026-11-17T10:00:04Z')];
  expect(stopsAfter(round, reopened)[0]).toMatchObject({ state: 'open', delivered: null });
});

test('a blocked stop is never next, and a full tank only if nothing else is left', () => {
  const block = { since: '2026-11-17T10:31:00Z', isRead: false };
  const [one, two, three] = [stopOf(1), stopOf(2), stopOf(3)].map((stop) => ({ ...stop, isUnsent: false }));
  if (one === undefined || two === undefined || three === undefined) throw new Error('three stops');
  expect(nextStop([{ ...one, block }, two], 1)?.stop).toBe(2);
  expect(nextStop([{ ...one, block }, { ...two, isFilled: true }, three], null)?.stop).toBe(3);
  expect(
    nextStop(
      [
        { ...one, block },
        { ...two, isFilled: true },
      ],
      null,
    )?.stop,
  ).toBe(2);
  expect(nextStop([{ ...one, block }], 1)).toBe(undefined);
  // What was delivered before the block arrived stays delivered.
  expect(blockOf({ ...one, block, state: 'delivered' })).toBe(null);
  const read = withRead({ ...round, stops: [{ ...stopOf(1), block }] }, [{ stop: 1, since: block.since }]);
  expect(read.stops[0]?.block?.isRead).toBe(true);
  expect(withRead(read, []).stops[0]?.block?.isRead).toBe(true);
});

test('an entry is later than those before it, also if the clock of the phone was set back', () => {
  const entries = [entryOf(1, 'delivered', '2026-11-17T10:00:00.000Z')];
  expect(timeOfNext(entries, Date.parse('2026-11-17T09:00:00Z'))).toBe('2026-11-17T10:00:00.001Z');
  expect(timeOfNext(entries, Date.parse('2026-11-17T11:00:00Z'))).toBe('2026-11-17T11:00:00.000Z');
});

test('an address opens the navigation of the phone', () => {
  expect(navigationUrl(details, false)).toBe('geo:20.5,-101?q=20.5%2C-101');
  expect(navigationUrl(details, true)).toBe('maps://?daddr=20.5%2C-101');
  expect(navigationUrl({ ...details, latitude: null }, false)).toBe('geo:0,0?q=Hidalgo%20352');
  expect(navigationUrl({ ...details, latitude: null, address: '' }, false)).toBe(null);
});

test('only a whole token is a link', () => {
  const token = `01989f36-5b1e-7d20-9a44-31c2f8a7e015.0.1763542800.${'a'.repeat(43)}`;
  expect(readLink(`#${token}`)).toMatchObject({ token, readUntilMs: 1_763_542_800_000 });
  for (const wrong of ['', '#', `#${token}x`, `#x${token}`]) expect(readLink(wrong)).toBe(undefined);
});

test('every text of the driver’s page exists in both languages', () => {
  const paths = (value: unknown, path = ''): string[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, inner]) => paths(inner, `${path}/${name}`))
      : [`${path} ${typeof value === 'function' ? value.length : typeof value}`];
  expect(paths(enDriver).length).toBeGreaterThan(40);
  expect(paths(esDriver)).toEqual(paths(enDriver));
});
