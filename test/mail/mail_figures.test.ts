import { expect, test } from 'vitest';
import { mailExamples, ORGANIZATION, statusOf } from '../../scripts/mail_examples.ts';
import { contactMail, customerMail, type MailedEvent } from '../../src/mail/event_mail_content.ts';
import { renderHtml } from '../../src/mail/html.ts';
import { type MailContent, renderText } from '../../src/mail/layout.ts';
import { writerFor } from '../../src/mail/mail_organization.ts';
import { reminderMail } from '../../src/mail/reminders.ts';
import { retractionMail } from '../../src/mail/retraction_mails.ts';
import type { TankStatus } from '../../src/status/tank_status.ts';
import { DAY_MS } from '../../src/values/time.ts';
import { zonedDate } from '../../src/values/zoned_time.ts';

/** A mail of the examples as text. */
const textOf = (language: string, name: string): string => renderText(contentOf(language, name));
const contentOf = (language: string, name: string): MailContent => {
  const content = mailExamples(language, 'America/Mexico_City')[name];
  if (content === undefined) throw new Error(`no mail ${name}`);
  return content;
};

const english = { ...ORGANIZATION, language: 'en-US' };
const plannedIn = (days: number, status: TankStatus): TankStatus => ({
  ...status,
  plannedOn: zonedDate(Date.now() + days * DAY_MS, ORGANIZATION.time_zone),
});
const lowEvent = (status: TankStatus): MailedEvent => ({
  type: 'tank.low_fill',
  occurred_at: new Date().toISOString(),
  data: { fill_percentage: 17.9, threshold_percentage: 20 },
  organization: english,
  status,
});
const weekday = (days: number, language: string): string =>
  new Intl.DateTimeFormat(language, { timeZone: ORGANIZATION.time_zone, weekday: 'long' }).format(
    Date.now() + days * DAY_MS,
  );

test('a mail about a tank with a planned delivery before it is empty does not ask for an order', () => {
  for (const name of ['customer', 'reminder']) {
    expect(textOf('en-US', name)).toContain(
      `What to do: A delivery is planned for ${weekday(1, 'en-US')}. You do not need to call.`,
    );
    expect(textOf('es-MX', name)).toContain(
      `Qué hacer: Hay una entrega prevista para el ${weekday(1, 'es-MX')}. No necesita llamar.`,
    );
    expect(renderHtml(contentOf('en-US', name))).not.toContain('tel:+524615550100');
  }
  expect(textOf('en-US', 'low')).toContain(
    `What to do: A delivery is planned for ${weekday(1, 'en-US')}. About 186 liters fit.`,
  );
  expect(textOf('es-MX', 'low')).toContain(
    `Qué hacer: Hay una entrega prevista para el ${weekday(1, 'es-MX')}. Caben unos 186 litros.`,
  );
});

test('a mail about a delivery that may come too late says how to get gas earlier', () => {
  // A tank at 17.9 % that uses 9 points a day is empty in 1.5 days at the earliest.
  const status = plannedIn(3, statusOf({}, 0, 17.9, 9));
  const late = `A delivery is planned for ${weekday(3, 'en-US')}, but the tank may be empty before.`;
  const own = customerMail(lowEvent(status));
  expect(renderText(own)).toContain(`${late} To get gas earlier, call Gas del Valle: +52 461 555 0100`);
  expect(renderHtml(own)).toContain('tel:+524615550100');
  expect(renderText(reminderMail(english, status, 'https://example.com'))).toContain(late);
  expect(renderText(contactMail(lowEvent(status)))).toContain(
    `${late} It is empty in about 2 days (1 to 3). About 186 liters fit.`,
  );
  // If the tank may be empty on the day of the delivery, the mail says so too.
  expect(renderText(customerMail(lowEvent(plannedIn(1, statusOf({}, 0, 17.9, 17.9 * 0.75)))))).toContain(
    'may be empty',
  );
  // Without a forecast, nothing is promised.
  const unknown = renderText(customerMail(lowEvent({ ...status, forecast: null })));
  expect(unknown).toContain(`A delivery is planned for ${weekday(3, 'en-US')}. To get gas earlier, call Gas del Valle`);
  expect(renderText(contactMail(lowEvent(plannedIn(1, statusOf({}, 0, 0, 9)))))).toContain(
    `Deliver now: the tank is empty. A delivery is planned for ${weekday(1, 'en-US')}.`,
  );
});

test('a mail about a loss names the clock time at which the tank is empty, which is true whenever the mail is read', () => {
  // The tank was at 17 % at 6:00 AM and loses 5 points an hour. The mail is sent at 7:00 AM.
  expect(contentOf('en-US', 'loss').subject).toContain('losing gas, empty at about 9:20 AM at this rate');
  expect(contentOf('es-MX', 'loss').subject).toContain('pierde gas, se vacía hacia las 9:20 a.m. a este ritmo');
  for (const name of ['loss', 'customer_loss', 'digest'])
    expect(textOf('en-US', name)).toContain('empty at about 9:20 AM at this rate');
});

test('a correction to a contact names the tank and its owner, and a correction to the owner only the tank', () => {
  const { subject } = contentOf('en-US', 'retraction');
  expect(subject).toBe('Correction: Casa (María López)');
  expect(textOf('en-US', 'retraction')).toContain('Tank: Casa (T-17)\nCustomer: María López (C-1042)\nPhone: +52 461');
  const own = retractionMail(
    [{ ...lowEvent(statusOf({}, 0, 62, 1.4)), retracted_because: 'gauge_fault' }],
    english,
    statusOf({}, 0, 62, 1.4),
    { recipient: 'customer' },
  );
  expect(own.subject).toBe('Correction: Casa');
  expect(renderText(own)).not.toContain('C-1042');
});

test('an unreliable gauge is described with its last reliable level and with the level that it shows since then', () => {
  expect(textOf('en-US', 'gauge')).toContain('Gauge: 52% on Nov 15, 5:00 AM; since 6:00 AM it shows 0%\n');
  expect(textOf('es-MX', 'gauge')).toMatch(
    /Indicador: 52% el 15 .*nov, 5:00 a\.m\.; desde las 6:00 a\.m\. muestra 0%\n/,
  );
  const { texts } = writerFor(english);
  expect(
    texts.gauge({ since: { at: '6:00 AM', isSameDay: true }, lastReliable: null, shown: '40%', isStuck: false }),
  ).toBe('unreliable since 6:00 AM; it shows 40% now');
});

test('a mail about a silent device advises to plan with its estimate, or with the last known level', () => {
  expect(textOf('en-US', 'silent')).toMatch(/plan with the estimate below\.[^]*Now, at usual use: about 39\.6%/);
  expect(textOf('es-MX', 'silent')).toContain('planee con la estimación de abajo.');
  const { silentAdvice } = writerFor(english).texts;
  expect(silentAdvice(false)).toContain('plan with the last known level.');
});

test('a mail about many devices names the number and the phone of each tank, and a common day only once', () => {
  expect(textOf('en-US', 'devices')).toContain('Their last readings are from Nov 14, 2026, 4:00 PM to 6:00 PM.');
  expect(textOf('es-MX', 'devices')).toMatch(
    /Sus últimas lecturas son del 14 nov 2026, de 4:00 p\.m\. a 6:00 p\.m\. Se/,
  );
  expect(textOf('en-US', 'devices')).toContain('* Cochera (T-21): ');
  expect(textOf('en-US', 'devices')).toContain('  María López (C-1042) · +52 461 555 0142\n');
});

test('lines cannot be broken inside a time or before a middle dot', () => {
  expect(renderHtml(contentOf('es-MX', 'digest'))).toContain('6:00&nbsp;a.m.');
  expect(renderHtml(contentOf('en-US', 'digest'))).toContain('6:00&nbsp;AM');
  expect(renderHtml(contentOf('en-US', 'digest'))).not.toContain(' · ');
});
