import { expect } from 'vitest';
import type { NewEvent } from '../../src/evaluation/pure/alerts/event_types.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { evaluationsOf, falling, givenTankNos, readingsOf, settle } from '../support/evaluation.ts';
import { givenEndpoint, givenWorker, record } from '../support/events.ts';
import { givenContact } from '../support/fleet.ts';
import { startMailbox } from '../support/mailbox.ts';
import { mailSettings, soon, untilNoJobIsDue } from '../support/mails.ts';
import { type TestDatabase, test } from '../support/test.ts';

const run = (database: TestDatabase, ...args: string[]) =>
  runCommand(args, { OPERATOR_DATABASE_URL: database.urls.operator });

/** The event that a faulty release would record, which treats any level as low. */
function wrongEvent(organizationNo: number, tankNo: number): NewEvent {
  const occurredAt = new Date(Date.now() - 2 * HOUR_MS).toISOString();
  return {
    organizationNo,
    tankNo,
    type: 'tank.low_fill',
    occurredAt,
    data: { fill_percentage: 61, threshold_percentage: 20 },
    readings: [{ created_at: occurredAt, fill_percentage: 61 }],
    notify: true,
  };
}

const retractionsOf = async (database: TestDatabase, tankNos: readonly number[]) => {
  const { rows } = await database.owner.query<{ tank_no: number; type: string; retracted_because: string | null }>(
    `select tank_no, type, retracted_because from events
     where tank_no = any ($1) and retracted_at is not null order by tank_no`,
    [tankNos],
  );
  return rows;
};

test('evaluation retract retracts wrong events of a faulty release and records missed ones, as its dry run has said', async ({
  database,
}) => {
  const { organizationNo, nos } = await givenTankNos(database, 4);
  const [wrong = 0, right = 0, missed = 0, untouched = 0] = nos;
  const ingester = new BatchIngester(database.writer);
  for (const no of [wrong, untouched]) await ingester.ingestReadings(readingsOf(no, falling(85, 0.8, 30)));
  for (const no of [right, missed]) await ingester.ingestReadings(readingsOf(no, falling(64, 1.5, 30)));
  await settle(database);
  const before = await evaluationsOf(database, nos);

  const mailbox = await startMailbox();
  await givenWorker(database, mailSettings(mailbox.url));
  // The notifications of the readings are handled before the contact and the webhook exist, so none of them is sent later.
  await untilNoJobIsDue(database);
  const email = 'dispatch@retract.example';
  await givenContact(database.operator, organizationNo, { email, types: ['tank.low_fill'] });
  const endpoint = await givenEndpoint(database, organizationNo, undefined, { types: ['tank.low_fill'] });
  const [wrongId] = await record(database, wrongEvent(organizationNo, wrong));
  await expect.poll(() => [endpoint.receiver.received.length, mailbox.of(email).length], soon).toEqual([1, 1]);
  await database.owner.query(
    `select delete_events(array(select no from events where tank_no = $1 and type = 'tank.low_fill'))`,
    [missed],
  );

  // Before the missed event, six hours ago: a checkpoint between both would hide it.
  const since = new Date(Date.now() - 7 * HOUR_MS).toISOString();
  const retract = ['evaluation', 'retract', '--since', since];
  const tried = await run(database, ...retract, '--dry-run', '--json');
  expect(tried.stderr).toContain('notifications are not held');
  expect(JSON.parse(tried.stdout)).toMatchObject({
    dry_run: true,
    tanks: 4,
    tried_tanks: 4,
    changes: [{ type: 'tank.low_fill', retracted: 1, added: 1, changed: 0 }],
  });
  expect(await retractionsOf(database, nos)).toEqual([]);
  expect((await run(database, 'evaluation', 'status')).code).toBe(0);

  const retracted = await run(database, ...retract);
  expect(retracted.stdout).toContain('tanks that were evaluated since then: 4\nwriters evaluate them again');
  expect((await run(database, 'evaluation', 'status')).code).toBe(1);
  await settle(database);
  expect((await run(database, 'evaluation', 'status')).code).toBe(0);
  expect(await retractionsOf(database, nos)).toEqual([
    { tank_no: wrong, type: 'tank.low_fill', retracted_because: 'evaluation_fault' },
  ]);
  // Every tank has the events and the state that it had before the wrong release.
  expect(await evaluationsOf(database, nos)).toEqual(before);
  await expect
    .poll(() => endpoint.receiver.received.map(({ body }) => JSON.parse(body)), soon)
    .toContainEqual(
      expect.objectContaining({
        type: 'event.retracted',
        data: expect.objectContaining({ event_id: wrongId, reason: 'evaluation_fault' }),
      }),
    );
  await expect
    .poll(
      () =>
        mailbox
          .of(email)
          .map(({ text }) => text)
          .join(),
      soon,
    )
    .toContain('evaluated the readings of');
  // The worker of the next test sends no mails, so no job for mails may be left.
  await untilNoJobIsDue(database);
});

test('a held notification of an event that is retracted is not sent', async ({ database }) => {
  const { organizationNo, nos } = await givenTankNos(database, 1);
  const [tank = 0] = nos;
  await new BatchIngester(database.writer).ingestReadings(readingsOf(tank, falling(85, 0.8, 30)));
  await settle(database);
  const endpoint = await givenEndpoint(database, organizationNo, undefined, { types: ['tank.low_fill'] });
  await givenWorker(database);
  expect((await run(database, 'notifications', 'hold', '--reason', 'wrong release')).code).toBe(0);
  await record(database, wrongEvent(organizationNo, tank));
  await untilNoJobIsDue(database);
  const since = new Date(Date.now() - 3 * HOUR_MS).toISOString();
  const { stderr } = await run(database, 'evaluation', 'retract', '--since', since, '--from-first-reading');
  expect(stderr).toBe('');
  await settle(database);
  await run(database, 'notifications', 'release');
  const states = async () =>
    (await database.owner.query('select status from webhook_deliveries where endpoint_no = $1', [endpoint.no])).rows;
  await expect.poll(states, soon).toEqual([{ status: 'canceled' }]);
  expect(endpoint.receiver.received).toEqual([]);
});
