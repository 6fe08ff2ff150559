import { randomBytes } from 'node:crypto';
import type { MqttClient } from 'mqtt';
import { pino } from 'pino';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { startApi } from '../../engines/api.ts';
import { createSignIn } from '../../src/keys/create_sign_in.ts';
import { readWorkerConfig } from '../../src/settings/worker_settings.ts';
import { CONSOLE_ADDRESS, createFirstOrganization } from '../../src/setup/organization.ts';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { serveWorker } from '../../src/worker/serve.ts';
import { workerEnvironment } from '../support/events.ts';
import { DEVICE_SECRET, ingestEnvironment, startGateway, startWriter } from '../support/ingest.ts';
import { startMailbox } from '../support/mailbox.ts';
import { LINK_SECRET, mailSettings } from '../support/mails.ts';
import { manageSettings } from '../support/manage.ts';
import { connectDevice, publish, topicOf } from '../support/mqtt.ts';
import type { TestDatabase } from '../support/test.ts';
import { workbookOf } from '../support/workbook.ts';
import { findBarriersInThemes, overflow } from './barriers.ts';
import { openConsole, test } from './console_test.ts';

const ORGANIZATION = 'a0gas';
const PHONE = { viewport: { width: 390, height: 844 } };
const DESK = { viewport: { width: 1440, height: 1000 } };

const SHEET = workbookOf([
  {
    name: 'Route list',
    rows: [
      ['Acct #', 'Name', 'Phone 1', 'Street', 'City', 'Tank Ser.', 'Size (liters)'],
      ['10413', 'Maple Farm', '(802) 555-0142', '31 Elm St', 'Burlington', 'T-2', 1000],
    ],
  },
]);

/** Everything that `tankwatch init` and `tankwatch up` start, with the first organization and a mail server. */
async function givenInstallation(database: TestDatabase) {
  const mailbox = await startMailbox();
  const url = `http://127.0.0.1:${await freePort()}`;
  const { port } = new URL(url);
  const secrets = { DEVICE_SECRET, LINK_SECRET, PUBLIC_URL: url };
  const api = await startApi(database.urls.api, { ...manageSettings(database), ...secrets, API_PORT: port });
  const ingest = ingestEnvironment(database, { NATS_STREAM: `day_${randomBytes(6).toString('hex')}` });
  const [gateway, writer] = await Promise.all([startGateway(ingest), startWriter(ingest)]);
  const mailing = workerEnvironment(database, { ...mailSettings(mailbox.url), PUBLIC_URL: url });
  const worker = await serveWorker(readWorkerConfig(mailing), pino({ level: 'silent' }));
  onTestFinished(async () => {
    await Promise.all([api.close(), gateway.close(), writer.close(), worker.close()]);
  });
  await createFirstOrganization(database.operator, { code: ORGANIZATION, name: 'Lake Gas', actor: 'init' });
  const link = `${url}/session/links/${await createSignIn(database.owner, CONSOLE_ADDRESS)}`;
  return { url, link, mailbox, mqttPort: gateway.mqttPort };
}

/** A device that connects with its own password. */
async function givenDevice(mqttPort: number, deviceId: string) {
  const name = { organizationCode: ORGANIZATION, deviceId };
  const client: MqttClient = await connectDevice(mqttPort, name);
  onTestFinished(() => void client.end(true));
  return {
    /** Sends a level that the device measured `hoursAgo`. */
    async send(level: number, hoursAgo = 0): Promise<void> {
      const created_at = new Date(Date.now() - hoursAgo * HOUR_MS).toISOString();
      const fill_percentage = Math.round(level * 10) / 10;
      expect(await publish(client, topicOf(name), JSON.stringify({ fill_percentage, created_at }))).toBe(
        'acknowledged',
      );
    },
  };
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const fillForm = async (page: Page, form: string, values: Readonly<Record<string, string>>): Promise<void> => {
  for (const [label, value] of Object.entries(values))
    await page.getByRole('form', { name: form, exact: true }).getByLabel(label, { exact: true }).fill(value);
};
const firstDay = (page: Page): Promise<string[]> => page.locator('.first-day .state').allInnerTexts();

test('a new organization gets through its first day with browsers and devices alone', async ({ browser, database }) => {
  const { url, link, mailbox, mqttPort } = await givenInstallation(database);
  const faults: string[] = [];
  const open = async (path: string, options: BrowserContextOptions = DESK): Promise<Page> => {
    const opened = await openConsole(browser, { url }, options);
    opened.page.on('close', () => faults.push(...opened.faults));
    await opened.page.goto(path);
    return opened.page;
  };

  // The first administrator opens the link that was printed, and is led from step to step.
  const ada = await open(link);
  await button(ada, 'Sign in').click();
  await ada.getByRole('heading', { name: 'Six steps until your tanks are watched' }).waitFor();
  await ada.getByText('Nobody is warned yet').waitFor();
  expect(await firstDay(ada)).toEqual(['Done', 'Open', 'Next', 'Open', 'Open', 'Open']);
  expect(await ada.getByText('No tank needs attention now.').count()).toBe(0);
  expect(await ada.locator('.first-day a.button').allInnerTexts()).toEqual(['Import a file']);
  expect(await findBarriersInThemes(ada, 'first day')).toEqual([]);
  await ada.setViewportSize(PHONE.viewport);
  expect(await overflow(ada)).toBe(0);
  await ada.setViewportSize(DESK.viewport);

  // An Excel file has a customer with a tank, whose device comes later. A second tank is added by hand, with its device.
  await ada.locator('.first-day').getByRole('link', { name: 'Import a file' }).click();
  const chosen = ada.waitForEvent('filechooser');
  await ada.locator('label', { hasText: 'Choose a file' }).click();
  // The page makes two dry runs: as the service suggests, and with its own defaults. An import would have to wait for the second one.
  const tried = ada.waitForResponse((response) => response.url().includes('mapping=') && response.ok());
  await (await chosen).setFiles({ name: 'tanks.xlsx', mimeType: 'application/octet-stream', buffer: SHEET });
  await tried;
  const importButton = ada.locator('.dry-run .button.primary');
  await expect.poll(() => importButton.isEnabled()).toBe(true);
  await importButton.click();
  await ada.getByText('Imported: 1 new, 0 changed.').waitFor();
  await ada.goto('/console/customers');
  await ada.getByRole('link', { name: 'Maple Farm' }).click();
  await button(ada, 'New tank').click();
  await fillForm(ada, 'New tank of Maple Farm', {
    Name: 'Barn',
    Size: '1,000',
    Town: 'Burlington',
    'Place on the map': '44.47, -73.21',
    'Number of the device': 'GAUGE-1',
  });
  await button(ada, 'Add the tank').click();
  await ada.getByRole('link', { name: 'Barn' }).first().waitFor();

  await ada.goto('/console/');
  await expect.poll(() => firstDay(ada)).toEqual(['Done', 'Open', 'Done', 'Next', 'Open', 'Open']);

  // Two colleagues are invited. They sign in with the link of their mail.
  const invite = async (name: string, role: string, options: BrowserContextOptions): Promise<Page> => {
    const email = `${name.toLowerCase()}@gas.example`;
    await ada.goto('/console/people');
    await ada.getByLabel('Name').fill(name);
    await ada.getByLabel('Email address').fill(email);
    await ada.getByLabel('Role', { exact: true }).selectOption({ label: role });
    await button(ada, 'Add and invite').click();
    await ada.getByText(`An email with a link is on its way to ${name}.`).waitFor();
    await expect.poll(() => mailbox.of(email).length).toBe(1);
    const [mailed = ''] = /http:\S+\/session\/links\/\S+/.exec(mailbox.of(email)[0]?.text ?? '') ?? [];
    const page = await open(mailed, options);
    await button(page, 'Sign in').click();
    await page.locator('header.top').waitFor();
    return page;
  };
  const raul = await invite('Raul', 'technician', PHONE);
  const dora = await invite('Dora', 'dispatcher', DESK);
  await dora.getByText('An administrator of your organization can do this.').waitFor();
  expect(await dora.locator('.first-day a').count()).toBe(0);

  // The technician puts a device on the imported tank with a phone, finds the tank in spite of a typing error, and sees the first reading.
  await raul.goto('/console/commission');
  expect(await overflow(raul)).toBe(0);
  await raul.getByLabel('Tank, customer or street').fill('mapel t-2');
  await raul.getByRole('link', { name: /T-2/ }).click();
  await raul.getByLabel('Number of the device').fill('GAUGE-2');
  await button(raul, /^Put GAUGE-2 on .*T-2/).click();
  await raul.getByText(/waiting for/).waitFor();
  const second = await givenDevice(mqttPort, 'GAUGE-2');
  await second.send(63);
  await raul.getByText(/63\s?%, read at/).waitFor();
  await button(raul, 'Compare with the dial').click();
  await raul.getByLabel('What does the dial on the tank show, in %?').fill('63');
  await button(raul, 'Done').click();
  await raul.getByText(/GAUGE-2 is on .*T-2\./).waitFor();

  // The list of tanks replaces the steps. What is still open and dangerous stays as one line, until somebody gets mails.
  await ada.goto('/console/');
  await ada.getByText('Nobody gets an email about a loss.').waitFor();
  expect(await ada.locator('.first-day').count()).toBe(0);
  await ada.getByRole('link', { name: 'Choose who gets emails' }).click();
  await fillForm(ada, 'Add an address', { 'Email address': 'night@gas.example', Name: 'Night shift' });
  await button(ada, 'Add the address').click();
  await ada.getByText('Night shift gets emails now.').waitFor();

  // The other device sends what it has kept: the tank uses 10 points a day and is low.
  const first = await givenDevice(mqttPort, 'GAUGE-1');
  for (let ago = 192; ago >= 4; ago -= 4) await first.send(12 + ((ago - 4) * 10) / 24, ago);
  await expect.poll(() => mailbox.of('night@gas.example').length).toBe(1);
  expect(mailbox.of('night@gas.example')[0]?.text).toContain('Barn');
  await ada.goto('/console/');
  await ada.locator('#low').getByText('Barn').waitFor();
  expect(await ada.getByText('Nobody gets an email about a loss.').count()).toBe(0);

  // One colleague handles it, and another one takes over.
  await dora.reload();
  await button(dora, 'Handle Barn').click();
  await dora.getByLabel('Comment').fill('I call them');
  await button(dora, 'Save').click();
  await ada
    .locator('#handled')
    .getByText(/Dora, until/)
    .waitFor();
  await ada.locator('#handled').getByRole('link', { name: 'Barn' }).click();
  await button(ada, 'Take over …').click();
  await ada.getByLabel('Comment').fill('Dora is ill');
  await button(ada, 'Save').click();
  await ada.getByText(/handles it until .*Dora is ill/).waitFor();

  // The first truck is added, and a round is proposed for it.
  await dora.goto('/console/round');
  await dora.getByRole('link', { name: 'Add the first one' }).click();
  await dora.getByText('Add a truck', { exact: true }).click();
  const truck = dora.locator('.transport', { hasText: 'Add a truck' });
  const values = { Truck: 'Truck 1', Holds: '5000', Depot: 'Lake', Latitude: '44.5', Longitude: '-73.2' };
  for (const [label, value] of Object.entries(values)) await truck.getByLabel(label).fill(value);
  await truck.getByLabel('Its meter prints').selectOption({ label: 'the pumped volume' });
  await truck.getByRole('button', { name: 'Save' }).click();
  await dora.getByRole('row', { name: /^Truck 1.*Lake/ }).waitFor();
  await dora.goto('/console/round');
  await dora.getByText('Nothing is saved yet.').waitFor();
  expect(await dora.locator('.proposed .must').count()).toBe(1);
  await button(dora, /^Create a round with/).click();
  await dora.locator('.plan-stops tr.row').getByText('Barn').waitFor();
  await button(dora, 'Link for the driver').click();
  const driver = await open(await dora.locator('.driver-link code').innerText(), PHONE);

  // The driver delivers and writes the number of the note. The gauge reports the refill, and the note is judged.
  await driver.locator('#volume').fill('680');
  await driver.getByText('Note', { exact: false }).first().waitFor();
  await driver.locator('#note-number').fill('N-1');
  await driver.locator('#done').click();
  await driver.locator('.driver-list').getByText('sent').waitFor();
  for (const ago of [3, 2, 1, 0]) await first.send(80, ago);
  await dora.goto('/console/ledger?list=consistent');
  const note = dora.getByRole('row', { name: /N-1/ });
  await expect
    .poll(async () => {
      await dora.reload();
      await dora.locator('.ledger-tabs').waitFor();
      return note.count();
    })
    .toBe(1);
  expect(await note.innerText()).toMatch(/Barn[^]*680/);

  // Somebody has misread the note: it is corrected, and does not match any more.
  await button(dora, 'Correct note N-1').click();
  const correction = dora.getByRole('form', { name: 'Correct note N-1' });
  await correction.getByLabel('Volume').fill('380');
  await button(dora, 'Save the correction').click();
  await dora.getByText(/Note N-1 is corrected: 680 .* became 380/).waitFor();
  await expect
    .poll(async () => {
      await dora.goto('/console/ledger?list=not_consistent');
      await dora.locator('.ledger-tabs').waitFor();
      return note.count();
    })
    .toBe(1);

  // The alert has ended with the refill.
  await ada.goto('/console/');
  await ada.getByText('No tank needs attention now.').waitFor();
  expect(await ada.getByText('Nobody gets an email about a loss.').count()).toBe(0);
  await Promise.all([ada, raul, dora, driver].map((page) => page.close()));
  expect(faults).toEqual([]);
});
