import { expect } from 'vitest';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { transaction } from '../../src/db/pool.ts';
import { listReach, type ReachValues, setReach } from '../../src/duty/contact_reach.ts';
import { channelOf, givenChannel, givenDuty, givenProvider, makeLosing } from '../support/duty.ts';
import { givenTanked, givenWorker, lowFillOf, record, type Tanked } from '../support/events.ts';
import { givenBrowser, givenPerson, givenPushService } from '../support/push.ts';
import { type TestDatabase, test } from '../support/test.ts';

const soon = { interval: 50 };
const NOTHING = { phone: null, by_text: true, by_mail: true, quiet_from: null, quiet_to: null };

const lossOf = (fleet: Tanked) =>
  lowFillOf(fleet, {
    type: 'tank.rapid_loss',
    data: { from_percentage: 64, to_percentage: 34, hours: 9, lost_volume: 150, volume_unit: 'liters' },
  });
const overfillOf = (fleet: Tanked) =>
  lowFillOf(fleet, { type: 'tank.overfilled', data: { fill_percentage: 92, limit_percentage: 80 } } as never);

async function givenFleet(database: TestDatabase) {
  const fleet = await givenTanked(database, {}, { name: 'Lake cabin' });
  await database.owner.query('update fleet_tanks set is_low = true where tank_no = $1', [fleet.tank.no]);
  const [service, provider] = [await givenPushService(), await givenProvider()];
  await givenChannel(database, fleet.organizationNo, channelOf('gateway', provider.url));
  const person = await givenPerson(database, fleet.organizationNo, 'dana', { types: ['tank.overfilled'] });
  await givenBrowser(database, service, person);
  const choose = (values: Partial<ReachValues>) =>
    transaction(database.operator, (tx) =>
      setReach(operatorChange(tx, fleet.organizationNo), person.id, { ...NOTHING, phone: '+18025550177', ...values }),
    );
  await choose({});
  // The person has entered the code for the phone.
  await database.owner.query('update contact_reach set verified_at = now() where organization_no = $1', [
    fleet.organizationNo,
  ]);
  return { fleet, service, provider, person, choose };
}

const titles = (service: { pushes: { message: Record<string, unknown> }[] }): string[] =>
  service.pushes.map(({ message }) => String(message['title']));
/** The texts about the tank, without texts with a code. */
const alerts = (provider: { texts: { text: string }[] }): string[] =>
  provider.texts.map(({ text }) => text).filter((text) => text.includes('Lake cabin'));

test('low tanks and other events are sent by text and browser only to persons who chose that, and silent devices never', async ({
  database,
}) => {
  await givenWorker(database);
  const { fleet, service, provider, choose } = await givenFleet(database);
  const silence = lowFillOf(fleet, {
    type: 'tank.device_silent',
    data: { last_reading_at: '2026-03-01T00:00:00.000Z' },
  } as never);
  await record(database, lowFillOf(fleet), overfillOf(fleet));
  const areJobsDone = async () =>
    (await database.owner.query('select from graphile_worker._private_jobs where priority = -10')).rowCount === 0;
  await expect.poll(areJobsDone, soon).toBe(true);
  await choose({ low_by: ['push', 'text'], other_by: ['push'] });
  // Two of three more events are sent. The silence of a device is reported only by mail.
  await record(database, silence, lowFillOf(fleet), overfillOf(fleet));
  await expect.poll(() => titles(service).length, soon).toBe(2);
  await expect.poll(() => alerts(provider).length, soon).toBe(1);
  expect(titles(service).every((title) => title.startsWith('Lake cabin: '))).toBe(true);
  expect(alerts(provider)[0]).toContain('low');
  await expect.poll(async () => (await database.owner.query('select from push_jobs')).rowCount, soon).toBe(0);
});

test('quiet hours delay low tanks but not losses, and a person who turned browsers off gets no loss there', async ({
  database,
}) => {
  await givenWorker(database);
  const { fleet, service, provider, person, choose } = await givenFleet(database);
  await choose({ low_by: ['push', 'text'], quiet_from: '00:00', quiet_to: '23:59' });
  await database.owner.query(`update contact_reach set quiet_to = '23:59:59.999' where organization_no = $1`, [
    fleet.organizationNo,
  ]);
  await makeLosing(database, fleet);
  await record(database, lowFillOf(fleet), lossOf(fleet));
  await expect.poll(() => titles(service).length, soon).toBe(1);
  expect(service.pushes[0]?.message).toMatchObject({ isUrgent: true });
  const waiting = async () =>
    (
      await database.owner.query(
        `select due_at > now() and due_at <= now() + interval '1 day' as is_later
         from (select due_at, claimed_by from push_jobs union all select due_at, claimed_by from text_jobs) as jobs
         where claimed_by is null`,
      )
    ).rows;
  await expect.poll(waiting, soon).toEqual([{ is_later: true }, { is_later: true }]);
  // The quiet hours end.
  await database.owner.query('with a as (update push_jobs set due_at = now()) update text_jobs set due_at = now()');
  await expect.poll(() => titles(service).length, soon).toBe(2);
  await expect.poll(() => alerts(provider).length, soon).toBe(1);

  await choose({ by_push: false });
  await givenDuty(database, fleet.organizationNo, [person], { next_minutes: 30, repeat_minutes: 30 });
  await record(database, lossOf(fleet));
  await expect.poll(() => alerts(provider).length, soon).toBe(2);
  expect(titles(service)).toHaveLength(2);
  const [reach] = await listReach(database.owner, fleet.organizationNo);
  expect(reach).toMatchObject({ by_push: false, low_by: ['text', 'push'], other_by: [], browsers: 1 });
});
