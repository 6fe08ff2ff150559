import { expect } from 'vitest';
import { checkEventFeed } from '../../src/doctor/event_feed.ts';
import { givenTanked, lowFillOf, record } from '../support/events.ts';
import { test } from '../support/test.ts';

test('doctor finds events with higher change numbers than new events get, and raises the epoch above them', async ({
  database,
}) => {
  const { operator, owner } = database;
  const fleet = await givenTanked(database);
  await record(database, lowFillOf(fleet));
  const check = (fix: boolean) => checkEventFeed({ pool: operator, fix, progress: () => {} });
  expect(await check(false)).toEqual([]);
  // A higher used epoch, as after an upgrade, is no fault: the next change raises the epoch.
  await owner.query('update change_epochs set used_epoch = used_epoch + 3');
  expect(await check(false)).toEqual([]);
  await record(database, lowFillOf(fleet));

  await owner.query('update events set change_number = change_number + 5 * 2 ^ 44');
  expect(await check(false)).toMatchObject([
    { problem: expect.stringContaining('readers of the event feed get no new event'), fixed: false },
  ]);
  expect(await check(true)).toMatchObject([{ fixed: true }]);
  const newest = lowFillOf(fleet);
  await record(database, newest);
  const { rows } = await owner.query('select occurred_at from events order by change_number desc limit 1');
  expect(rows).toEqual([{ occurred_at: newest.occurredAt }]);
  expect(await check(false)).toEqual([]);
});
