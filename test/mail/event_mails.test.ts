import { expect } from 'vitest';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { deleteCustomer } from '../../src/catalog/customers.ts';
import { transaction } from '../../src/db/pool.ts';
import {
  EVENT_TYPES,
  type EventData,
  type EventType,
  type NewEvent,
} from '../../src/evaluation/pure/alerts/event_types.ts';
import { recordEvents, retractEvents } from '../../src/evaluation/record_events.ts';
import { addContact, removeContact } from '../../src/mail/contacts.ts';
import { enqueueDigests } from '../../src/mail/digests.ts';
import { deleteOrganization } from '../../src/recovery/delete_organization.ts';
import { DAY_MS } from '../../src/values/time.ts';
import { lowFillOf, record, type Tanked } from '../support/events.ts';
import {
  givenMailedCustomer,
  givenMailWorker,
  makeDeviceMailsDue,
  setLanguage,
  soon,
  untilNoJobIsDue,
} from '../support/mails.ts';
import { type TestDatabase, test } from '../support/test.ts';

const recovered = (fleet: Tanked): NewEvent =>
  lowFillOf(fleet, { type: 'tank.fill_recovered', data: { fill_percentage: 80, threshold_percentage: 20 } });

test('a verified customer gets one mail about a low tank, as text and HTML, in the language of the organization', async ({
  database,
}) => {
  const { mailbox } = await givenMailWorker(database);
  const [english, spanish] = [await givenMailedCustomer(database), await givenMailedCustomer(database)];
  const unverified = await givenMailedCustomer(database, { is_verified: false });
  await setLanguage(database, spanish, 'es');
  await record(database, lowFillOf(english), lowFillOf(spanish), lowFillOf(unverified));
  await expect.poll(() => mailbox.mails.length, soon).toBe(2);

  const [mail] = mailbox.of(english.email);
  expect(mail?.subject).toBe('Casa & patio: low, at 19.5%');
  expect(mail?.text).toContain('Hello María <López>,');
  expect(mail?.text).toContain('Your tank Casa & patio is at 19.5%. Its alert threshold is 20%.');
  expect(mail?.html).toContain('Hello María &lt;López&gt;,');
  expect(mail?.html).toContain('Casa &amp; patio');
  expect(mail?.headers['auto-submitted']).toBe('auto-generated');
  expect(mail?.headers['list-unsubscribe']).toBeUndefined();
  expect(mail?.headers['message-id']).toMatch(/^<[0-9a-f-]{36}\.customer\.\d+@gas\.example>$/);

  const [correo] = mailbox.of(spanish.email);
  expect(correo?.subject).toBe('Casa & patio: nivel bajo, 19.5%');
  expect(correo?.text).toContain('Su tanque Casa & patio está al 19.5%. Su umbral de alerta es del 20%.');
  await untilNoJobIsDue(database);
  expect(mailbox.of(unverified.email)).toEqual([]);
});

test('an alert is not mailed if it was retracted or has ended, and not again when late readings move it', async ({
  database,
}) => {
  const fleet = await givenMailedCustomer(database);
  const [retracted, ended, recovery] = [lowFillOf(fleet), lowFillOf(fleet), recovered(fleet)];
  await transaction(database.writer, async (tx) => {
    await recordEvents(tx, [retracted, ended, recovery]);
    await retractEvents(tx, [retracted]);
  });
  const { mailbox } = await givenMailWorker(database);
  await untilNoJobIsDue(database);
  expect(mailbox.of(fleet.email)).toEqual([]);

  const alert = lowFillOf(fleet);
  await record(database, alert);
  await expect.poll(() => mailbox.of(fleet.email).length, soon).toBe(1);
  // A late reading moves the beginning of the alert. The event is replaced, but the alert is the same.
  const moved = lowFillOf(fleet);
  await transaction(database.writer, async (tx) => {
    await retractEvents(tx, [alert]);
    await recordEvents(tx, [moved]);
  });
  await untilNoJobIsDue(database);
  expect(mailbox.of(fleet.email).length).toBe(1);
  // After a recovery, the next low-fill event starts a new alert.
  await record(database, recovered(fleet), lowFillOf(fleet));
  await expect.poll(() => mailbox.of(fleet.email).length, soon).toBe(2);
});

test('the customers and contacts of a deleted organization get no more mails', async ({ database }) => {
  const fleet = await givenMailedCustomer(database);
  await transaction(database.operator, async (tx) => {
    await addContact(operatorChange(tx, fleet.organizationNo), {
      email: 'gone@gas.example',
      types: EVENT_TYPES,
      digest_at: '00:00',
    });
    await deleteOrganization(tx, fleet.organizationNo);
  });
  await record(database, lowFillOf(fleet));
  const { mailbox } = await givenMailWorker(database);
  await enqueueDigests(database.worker, Date.now() + 2 * DAY_MS);
  await untilNoJobIsDue(database);
  expect(mailbox.of(fleet.email)).toEqual([]);
  expect(mailbox.of('gone@gas.example')).toEqual([]);
});

const EXAMPLES: EventData = {
  'tank.low_fill': { fill_percentage: 19.5, threshold_percentage: 20 },
  'tank.fill_recovered': { fill_percentage: 85, threshold_percentage: 20 },
  'tank.order_due': { fill_percentage: 38, threshold_percentage: 40 },
  'tank.refilled': { before_percentage: 15, after_percentage: 85, delivered_volume: 1234.56, volume_unit: 'liters' },
  'tank.overfilled': { fill_percentage: 92, limit_percentage: 80 },
  'tank.rapid_loss': { from_percentage: 60, to_percentage: 40, hours: 5, lost_volume: 100, volume_unit: 'gallons' },
  'tank.unusual_use': {
    from_percentage: 60,
    to_percentage: 52,
    hours: 26,
    used_volume: 80,
    usual_volume_per_day: 3,
    volume_unit: 'liters',
  },
  'tank.device_silent': {
    last_reading_at: '2026-03-01T06:00:00.000Z',
    silent_for_hours: 222,
    usual_interval_hours: 168,
  },
  'tank.device_reporting': { silent_since: '2026-03-01T06:00:00.000Z' },
  'tank.gauge_unreliable': { reason: 'stuck_at_limit', since: '2026-03-01T06:00:00.000Z', fill_percentage: 100 },
  'tank.gauge_reliable': { unreliable_since: '2026-03-01T06:00:00.000Z', fill_percentage: 45 },
};

test('contacts get mails about the event types they chose, in both languages, until they are removed', async ({
  database,
}) => {
  const { mailbox } = await givenMailWorker(database);
  for (const code of ['en', 'es'] as const) {
    const fleet = await givenMailedCustomer(database, { is_verified: false });
    await setLanguage(database, fleet, code);
    const [all, some, removed] = ['all', 'some', 'removed'].map((name) => `${name}-${code}@gas.example`);
    await transaction(database.operator, async (tx) => {
      await addContact(operatorChange(tx, fleet.organizationNo), { email: all ?? '', types: EVENT_TYPES });
      await addContact(operatorChange(tx, fleet.organizationNo), { email: some ?? '', types: ['tank.refilled'] });
      await addContact(operatorChange(tx, fleet.organizationNo), { email: removed ?? '', types: EVENT_TYPES });
      await removeContact(operatorChange(tx, fleet.organizationNo), removed ?? '');
    });
    // These events come last, because a later event would end them, and no mail would be sent.
    const lastTypes: readonly EventType[] = ['tank.low_fill', 'tank.order_due', 'tank.gauge_unreliable'];
    const types = [...EVENT_TYPES.filter((type) => !lastTypes.includes(type)), ...lastTypes];
    const events = types.map((type) => lowFillOf(fleet, { type, data: EXAMPLES[type] } as Partial<NewEvent>));
    await record(database, ...events);
    await expect.poll(() => mailbox.of(all ?? '').length, soon).toBe(EVENT_TYPES.length - 2);
    await untilNoJobIsDue(database);
    await makeDeviceMailsDue(database);
    // No mail is sent about the silence of the device, because it reports again.
    await expect.poll(() => mailbox.of(all ?? '').length, soon).toBe(EVENT_TYPES.length - 1);
    expect([mailbox.of(some ?? '').length, mailbox.of(removed ?? '').length, mailbox.of(fleet.email).length]).toEqual([
      1, 0, 0,
    ]);
    const texts = mailbox
      .of(all ?? '')
      .map((mail) => `${mail.subject}\n${mail.text}`)
      .join('\n');
    expect(texts).not.toMatch(/undefined|NaN|\[object/);
    expect(texts).toContain(code === 'en' ? 'About 1,235 liters were delivered' : 'Se entregaron unos 1,235 litros');
    expect(texts).toContain(code === 'en' ? 'have the tank checked for a leak' : 'pida que revisen si hay una fuga');
  }
});

test('an owner gets no mail about unusual use', async ({ database }) => {
  const { mailbox } = await givenMailWorker(database);
  const fleet = await givenMailedCustomer(database);
  const unusual = { type: 'tank.unusual_use', data: EXAMPLES['tank.unusual_use'] } as const;
  await record(database, lowFillOf(fleet, unusual), lowFillOf(fleet));
  await expect.poll(() => mailbox.of(fleet.email).length, soon).toBe(1);
  await untilNoJobIsDue(database);
  expect(mailbox.of(fleet.email)).toMatchObject([{ subject: expect.stringContaining('low') }]);
});

/** Whether the mails about a low tank link to it: those of the owner, a contact with the console, and a contact without it. */
async function haveTankLinks(database: TestDatabase, settings: Record<string, string>) {
  const { mailbox, apiUrl } = await givenMailWorker(database, settings);
  const fleet = await givenMailedCustomer(database);
  const contacts = { console: `console.${fleet.email}`, plain: `plain.${fleet.email}` };
  await transaction(database.operator, async (tx) => {
    const types = ['tank.low_fill'] as const;
    await addContact(operatorChange(tx, fleet.organizationNo), { email: contacts.console, types, roles: ['viewer'] });
    await addContact(operatorChange(tx, fleet.organizationNo), { email: contacts.plain, types });
  });
  await record(database, lowFillOf(fleet));
  await expect.poll(() => mailbox.mails.length, soon).toBe(3);
  const link = `${apiUrl}/console/tanks/${fleet.tank.id}`;
  return [fleet.email, contacts.console, contacts.plain].map((address) => {
    const [mail] = mailbox.of(address);
    expect(mail?.html.includes(link)).toBe(mail?.text.includes(link));
    return mail?.text.includes(link);
  });
}

test('mails about a tank link to its page for those who can sign in', async ({ database }) => {
  expect(await haveTankLinks(database, {})).toEqual([true, true, false]);
});

test('with CONSOLE=off no mail links to the page of a tank', async ({ database }) => {
  expect(await haveTankLinks(database, { CONSOLE: 'off' })).toEqual([false, false, false]);
});

test('a mail that the mail server refuses is recorded for the timeline of its tank, and erased with the customer', async ({
  database,
}) => {
  const { mailbox } = await givenMailWorker(database);
  const fleet = await givenMailedCustomer(database);
  mailbox.refusal = { status: 550, message: 'unknown user' };
  await record(database, lowFillOf(fleet));
  const readFailedMails = async (): Promise<unknown[]> =>
    (
      await database.owner.query(
        `select f.recipient, f.recipient_no, f.kind, f.because
         from failed_mails f join events e on e.no = f.event_no where e.tank_no = $1`,
        [fleet.tank.no],
      )
    ).rows;
  const expected = { recipient: 'customer', recipient_no: fleet.customer.no, kind: 'alert', because: 'rejected' };
  await expect.poll(readFailedMails, soon).toEqual([expected]);
  await transaction(database.operator, (tx) =>
    deleteCustomer(tx, fleet.organizationNo, fleet.customer.no, { withTanks: true }),
  );
  expect(await readFailedMails()).toEqual([]);
});

test('a rejected mail is not sent again if its failure cannot be recorded', async ({ database, onTestFinished }) => {
  const { mailbox } = await givenMailWorker(database);
  const fleet = await givenMailedCustomer(database);
  await database.owner.query('revoke insert on failed_mails from tankwatch_worker');
  onTestFinished(async () => {
    await database.owner.query('grant insert on failed_mails to tankwatch_worker');
  });
  mailbox.refusal = { status: 550, message: 'unknown user' };
  await record(database, lowFillOf(fleet));
  const waiting = async (): Promise<unknown[]> =>
    (await database.owner.query(`select last_error from mail_jobs where organization_no = $1`, [fleet.organizationNo]))
      .rows;
  await untilNoJobIsDue(database);
  await expect.poll(waiting, soon).toEqual([]);
});
