import { expect } from 'vitest';
import { transaction } from '../../src/db/pool.ts';
import type { BatteryEvent, NewEvent } from '../../src/evaluation/pure/alerts/event_types.ts';
import { retractEvents } from '../../src/evaluation/record_events.ts';
import { record } from '../support/events.ts';
import { givenContact, givenCustomer, givenOrganization, givenTank } from '../support/fleet.ts';
import { givenMailWorker, makeDeviceMailsDue, soon, untilNoJobIsDue } from '../support/mails.ts';
import { type TestDatabase, test } from '../support/test.ts';

const DEVICES = 45;
const LAST_READING_MS = Date.UTC(2026, 2, 1, 3, 10);

/** An organization with a contact, and an event for each of its tanks. */
async function givenSilence(database: TestDatabase, email: string, tanks: number, language: 'en' | 'es' = 'en') {
  const organizationNo = await givenOrganization(database.operator);
  await database.owner.query('update organizations set language = $2 where no = $1', [organizationNo, language]);
  const owner = await givenCustomer(database.operator, organizationNo, { name: 'María López' });
  await givenContact(database.operator, organizationNo, {
    email,
    types: ['tank.device_silent', 'tank.device_reporting'],
  });
  const events: NewEvent[] = [];
  for (let n = 0; n < tanks; n++) {
    const { no: tankNo } = await givenTank(database.operator, organizationNo, owner.no, { name: `Tank ${n}` });
    const last_reading_at = new Date(LAST_READING_MS + n * 60_000).toISOString();
    const occurredAt = new Date(LAST_READING_MS + n * 60_000 + 36 * 3_600_000).toISOString();
    const data = { last_reading_at, silent_for_hours: 36 };
    events.push({ organizationNo, tankNo, type: 'tank.device_silent', occurredAt, data, readings: [], notify: true });
  }
  return { organizationNo, events };
}

const reporting = (event: NewEvent): NewEvent => ({
  ...event,
  type: 'tank.device_reporting',
  occurredAt: new Date(Date.parse(event.occurredAt) + 60_000).toISOString(),
  data: { silent_since: new Date(LAST_READING_MS).toISOString() },
});

test('a silence of many devices is one mail per contact, with the first 20 devices and the number of the others', async ({
  database,
}) => {
  const { mailbox } = await givenMailWorker(database);
  const { events } = await givenSilence(database, 'mass@gas.example', DEVICES);
  const spanish = await givenSilence(database, 'masivo@gas.example', DEVICES, 'es');
  for (const event of events) await record(database, event); // one job for each event
  await record(database, ...spanish.events); // one job for all
  // untilNoJobIsDue does not wait for a job that is tried again later, so the mails are counted first.
  const waiting = async (): Promise<number> =>
    (await database.owner.query('select from event_mails where sent_at is null')).rows.length;
  await expect.poll(waiting, soon).toBe(2 * DEVICES);
  await untilNoJobIsDue(database);
  expect(mailbox.mails).toEqual([]); // the mails wait for more events
  expect(await makeDeviceMailsDue(database)).toBe(2);
  await expect.poll(() => mailbox.mails.length, soon).toBe(2);

  const [mail] = mailbox.of('mass@gas.example');
  expect(mail?.subject).toBe('45 devices silent since Mar 1, 2026, 3:10 AM UTC');
  expect(mail?.text).toContain(
    'Their last readings are from Mar 1, 2026, 3:10 AM UTC to 3:54 AM UTC. The current levels of their tanks are unknown.',
  );
  expect(mail?.text.match(/Tank \d+: Mar 1, 3:\d\d AM UTC\r\n {2}María López/g)).toHaveLength(20);
  expect(mail?.text).toContain('25 more devices are not listed here.');
  expect(mail?.text).not.toContain('tankwatch ');
  const [correo] = mailbox.of('masivo@gas.example');
  expect(correo?.subject).toBe('45 dispositivos sin enviar lecturas desde el 1 mar 2026, 3:10 a.m. UTC');
  expect(correo?.text).toContain('Hay 25 dispositivos más');
});

test('a contact gets a mail about silent devices at most every ten minutes, about all devices since the last mail', async ({
  database,
}) => {
  const { mailbox } = await givenMailWorker(database);
  const email = 'paced@gas.example';
  const { events } = await givenSilence(database, email, 4);
  await record(database, ...events.slice(0, 1));
  await untilNoJobIsDue(database);
  await makeDeviceMailsDue(database);
  await expect.poll(() => mailbox.of(email).length, soon).toBe(1);
  expect(mailbox.of(email)[0]?.subject).toBe('Tank 0 (María López): device is silent');

  await record(database, ...events.slice(1));
  await untilNoJobIsDue(database);
  await makeDeviceMailsDue(database); // even a job that runs too early
  await untilNoJobIsDue(database);
  expect(mailbox.of(email)).toHaveLength(1);
  const { rows } = await database.owner.query<{ minutes: number }>(
    `select extract(epoch from min(due_at) - now())::float8 / 60 as minutes from mail_jobs
     where task = 'mail_devices'`,
  );
  expect(rows[0]?.minutes).toBeGreaterThan(9);

  await database.owner.query(`update device_mails set sent_at = sent_at - interval '10 minutes'`);
  await makeDeviceMailsDue(database);
  await expect.poll(() => mailbox.of(email).length, soon).toBe(2);
  expect(mailbox.of(email)[1]?.subject).toMatch(/^3 devices silent/);
});

test('a mail omits devices that report again, retracted events and devices of earlier mails', async ({ database }) => {
  const { mailbox } = await givenMailWorker(database);
  const email = 'current@gas.example';
  const { events } = await givenSilence(database, email, 5);
  const [back, retracted] = events;
  if (back === undefined || retracted === undefined) throw new Error('no events');
  await record(database, ...events);
  await record(database, reporting(back));
  await transaction(database.writer, (tx) => retractEvents(tx, [retracted]));
  await untilNoJobIsDue(database);
  await makeDeviceMailsDue(database);
  await expect.poll(() => mailbox.of(email).map(({ subject }) => subject.slice(0, 16)), soon).toHaveLength(2);
  const subjects = mailbox.of(email).map(({ subject }) => subject);
  expect(subjects).toContainEqual(expect.stringMatching(/^3 devices silent/));
  expect(subjects).toContain('Tank 0 (María López): device reports again');

  // The retracted event becomes valid again, and the next mail is only about its device.
  await record(database, retracted);
  await untilNoJobIsDue(database);
  await database.owner.query(`update device_mails set sent_at = sent_at - interval '10 minutes'`);
  await makeDeviceMailsDue(database);
  await expect.poll(() => mailbox.of(email).length, soon).toBe(3);
  expect(mailbox.of(email)[2]?.subject).toBe('Tank 1 (María López): device is silent');
});

test('contacts for silent devices get one mail about several low batteries, without batteries that were replaced', async ({
  database,
}) => {
  const { mailbox } = await givenMailWorker(database);
  const { organizationNo, events } = await givenSilence(database, 'batteries@gas.example', 3, 'es');
  await givenContact(database.operator, organizationNo, { email: 'low@gas.example', types: ['tank.low_fill'] });
  const battery = (event: NewEvent | undefined, type: BatteryEvent['type'], minutes: number): BatteryEvent => ({
    organizationNo,
    tankNo: event?.tankNo ?? 0,
    type,
    occurredAt: new Date(Date.now() + minutes * 60_000).toISOString(),
    data: { device_id: `ABCD000${minutes}`, battery_v: null, battery_percent: 9 + minutes },
    readings: [],
    notify: true,
  });
  const low = events.map((event, n) => battery(event, 'device.battery_low', n));
  await record(database, ...low, battery(events[2], 'device.battery_ok', 5));
  await untilNoJobIsDue(database);
  await makeDeviceMailsDue(database);
  await expect.poll(() => mailbox.of('batteries@gas.example').length, soon).toBe(1);
  const [mail] = mailbox.of('batteries@gas.example');
  expect(mail?.subject).toBe('2 dispositivos con batería baja');
  expect(mail?.text).toContain('9%');
  expect(mail?.text).not.toMatch(/Tank 2|undefined/);
  expect(mailbox.of('low@gas.example')).toEqual([]);

  const english = await givenSilence(database, 'one@gas.example', 1);
  await record(database, {
    ...battery(english.events[0], 'device.battery_low', 0),
    organizationNo: english.organizationNo,
    data: { device_id: 'ABCD9999', battery_v: 2.9, battery_percent: null },
  });
  await untilNoJobIsDue(database);
  await makeDeviceMailsDue(database);
  await expect.poll(() => mailbox.of('one@gas.example').length, soon).toBe(1);
  const [single] = mailbox.of('one@gas.example');
  expect(single?.subject).toContain('the battery of its device is low');
  expect(single?.text).toContain('The device ABCD9999 reports a low battery: 2.9 V.');
});
