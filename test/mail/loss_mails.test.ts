import { expect } from 'vitest';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { transaction } from '../../src/db/pool.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { addContact } from '../../src/mail/contacts.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { lowFillOf, record } from '../support/events.ts';
import { givenContact, organizationCodeOf } from '../support/fleet.ts';
import { givenMailedCustomer, givenMailWorker, type MailedCustomer, soon, untilNoJobIsDue } from '../support/mails.ts';
import { type TestDatabase, test } from '../support/test.ts';
import { hourly, levels } from '../support/worst_day.ts';

/** The tank of 500 liters loses 30 points in 9 hours, from 64 %, up to now. */
async function leak(database: TestDatabase, { tank }: MailedCustomer): Promise<void> {
  const nowMs = Date.now();
  await new BatchIngester(database.writer).ingestReadings([
    ...hourly(tank.no, 64, 1, nowMs - 9 * HOUR_MS),
    ...levels(
      tank.no,
      Array.from({ length: 9 }, (_, hour) => 64 - (30 / 9) * (hour + 1)),
      nowMs,
    ),
  ]);
}

const setOrganization = (database: TestDatabase, { organizationNo }: MailedCustomer, language: string, zone: string) =>
  database.owner.query(
    `update organizations set name = 'Valley Gas', phone = '+1 802 555 0100', language = $2, time_zone = $3 where no = $1`,
    [organizationNo, language, zone],
  );

/** Whether a mail contains these texts in this order. */
const areInOrder = (text: string, parts: readonly string[]): boolean => {
  const positions = parts.map((part) => text.indexOf(part));
  return positions.every((position, index) => position >= 0 && position > (positions[index - 1] ?? -1));
};

test('the verified owner of a leaking tank gets a mail with the steps for safety first and the figures last', async ({
  database,
}) => {
  const { mailbox } = await givenMailWorker(database);
  const english = await givenMailedCustomer(database);
  const spanish = await givenMailedCustomer(database);
  const unverified = await givenMailedCustomer(database, { is_verified: false });
  await setOrganization(database, english, 'en-GB', 'Europe/London');
  await setOrganization(database, spanish, 'es-MX', 'America/Mexico_City');
  for (const fleet of [english, spanish, unverified]) await leak(database, fleet);
  await expect.poll(() => mailbox.of(english.email).length + mailbox.of(spanish.email).length, soon).toBe(2);

  const [mail] = mailbox.of(english.email);
  expect(mail?.subject).toBe('Casa & patio: possible gas leak');
  const text = (mail?.text ?? '').replaceAll('\r\n', '\n');
  const steps = [
    '1. Go outside now.',
    '2. Touch no switch. No flame. Do not use a phone indoors.',
    '3. Call from outside: 112 if you smell gas, hear hissing, or somebody is unwell; Valley Gas (+1 802 555 0100) if you notice nothing.',
    '4. Do not go back in until the firefighters or Valley Gas say so.',
    'A gauge can be wrong. Until somebody has looked, treat it as a leak.',
    '64% to 34%, about 150 liters in 9 hours, 17 liters an hour; empty ',
  ];
  expect(areInOrder(text, steps), text).toBe(true);
  expect(text).not.toMatch(/days|order gas/);
  expect(areInOrder(mail?.html ?? '', ['Go outside now.', 'tel:112', 'tel:+18025550100', '64%'])).toBe(true);
  expect(mail?.html).toContain('#a3081c');

  const [correo] = mailbox.of(spanish.email);
  expect(correo?.subject).toBe('Casa & patio: posible fuga de gas');
  const texto = (correo?.text ?? '').replaceAll('\r\n', '\n');
  const pasos = [
    '1. Salga ahora.',
    '2. No toque ningún interruptor. Nada de fuego. No llame por teléfono adentro.',
    '3. Llame desde afuera: al 911 si huele a gas, oye un silbido o alguien se siente mal; a Valley Gas (+1 802 555 0100) si no nota nada.',
    '4. No vuelva a entrar hasta que los bomberos o Valley Gas lo permitan.',
    'Un indicador puede fallar. Mientras nadie lo revise, trátelo como una fuga.',
    '; se vacía ',
  ];
  expect(areInOrder(texto, pasos), texto).toBe(true);
  await untilNoJobIsDue(database);
  expect(mailbox.of(unverified.email)).toEqual([]);
});

test('an organization sets its emergency number and its own steps', async ({ database }) => {
  const { mailbox } = await givenMailWorker(database);
  const fleet = await givenMailedCustomer(database);
  const code = await organizationCodeOf(database.owner, fleet.organizationNo);
  const { stderr } = await runCommand(
    [
      'organizations',
      'update',
      code,
      '--emergency-phone',
      '0800 112 999',
      '--safety-steps',
      'Leave the house.',
      'Call us.',
    ],
    { DATABASE_URL: database.urls.operator },
  );
  expect(stderr).toBe('');
  await leak(database, fleet);
  await expect.poll(() => mailbox.of(fleet.email).length, soon).toBe(1);
  const [mail] = mailbox.of(fleet.email);
  expect(mail?.text).toContain('1. Leave the house.');
  expect(mail?.text).toContain('2. Call us.');
  expect(mail?.html).toContain('tel:0800112999');
});

test('a contact gets the rate of the loss and the time until empty, and no usual use', async ({ database }) => {
  const { mailbox } = await givenMailWorker(database);
  const fleet = await givenMailedCustomer(database, { is_verified: false });
  const contact = 'night@gas.example';
  await givenContact(database.operator, fleet.organizationNo, { email: contact, types: ['tank.rapid_loss'] });
  await leak(database, fleet);
  await expect.poll(() => mailbox.of(contact).length, soon).toBe(1);
  const [mail] = mailbox.of(contact);
  expect(mail?.subject).toMatch(
    /^Casa & patio \(María <López>\): losing gas, empty (on .+, )?at about \d+:\d0 [AP]M UTC at this rate$/,
  );
  expect(mail?.text).toContain('Loss: 64% to 34%, about 150 liters in 9 hours, 17 liters an hour');
  expect(mail?.text).toContain('Level: 34%');
  expect(mail?.text).toMatch(/Reading of: .*\d:\d\d/);
  expect(mail?.text).not.toMatch(/Empty in: about \d+ days/);
});

test('a refill that ends an alert is one mail that reports both', async ({ database }) => {
  const { mailbox } = await givenMailWorker(database);
  const fleet = await givenMailedCustomer(database, { is_verified: false });
  const both = 'both@gas.example';
  const recoveries = 'recoveries@gas.example';
  await transaction(database.operator, async (tx) => {
    await addContact(operatorChange(tx, fleet.organizationNo), {
      email: both,
      types: ['tank.refilled', 'tank.fill_recovered'],
    });
    await addContact(operatorChange(tx, fleet.organizationNo), { email: recoveries, types: ['tank.fill_recovered'] });
  });
  const refill = lowFillOf(fleet, {
    type: 'tank.refilled',
    data: { before_percentage: 14, after_percentage: 80, delivered_volume: 330, volume_unit: 'liters' },
  });
  const recovery = lowFillOf(fleet, {
    type: 'tank.fill_recovered',
    occurredAt: refill.occurredAt,
    data: { fill_percentage: 80, threshold_percentage: 20 },
  });
  await record(database, refill, recovery);
  await expect.poll(() => mailbox.of(both).length + mailbox.of(recoveries).length, soon).toBe(2);
  await untilNoJobIsDue(database);
  expect(mailbox.of(both).map(({ subject }) => subject)).toEqual(['Casa & patio (María <López>): refilled to 80%']);
  expect(mailbox.of(both)[0]?.text).toContain('The tank is no longer low.');
  expect(mailbox.of(recoveries)).toHaveLength(1);
});

test('the mail about an unreliable gauge has its last reliable level and since when it is wrong', async ({
  database,
}) => {
  const { mailbox } = await givenMailWorker(database);
  const fleet = await givenMailedCustomer(database, { is_verified: false });
  const contact = 'gauges@gas.example';
  await givenContact(database.operator, fleet.organizationNo, { email: contact, types: ['tank.gauge_unreliable'] });
  const nowMs = Date.now();
  await new BatchIngester(database.writer).ingestReadings([
    ...hourly(fleet.tank.no, 52, 1, nowMs - 20 * HOUR_MS),
    ...levels(
      fleet.tank.no,
      Array.from({ length: 20 }, () => 0),
      nowMs,
    ),
  ]);
  await expect.poll(() => mailbox.of(contact).length, soon).toBe(1);
  const [mail] = mailbox.of(contact);
  expect(mail?.text).toMatch(/Last known level: 52%/);
  expect(mail?.text).toMatch(/Gauge: 52% on .*; since .* it shows 0%/);
});
