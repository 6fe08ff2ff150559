import { expect, test as plainTest } from 'vitest';
import { digestExample, mailExamples, ORGANIZATION } from '../../scripts/mail_examples.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { MAX_LISTED_TANKS } from '../../src/mail/digest_content.ts';
import { digestMail } from '../../src/mail/digest_mail.ts';
import { renderHtml } from '../../src/mail/html.ts';
import { renderText } from '../../src/mail/layout.ts';
import type { CatalogTank, TankStatus } from '../../src/status/tank_status.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { givenTanked, lowFillOf, record } from '../support/events.ts';
import { givenContact } from '../support/fleet.ts';
import { givenMailWorker, soon } from '../support/mails.ts';
import { test } from '../support/test.ts';

plainTest('every mail is complete in both languages, loads nothing, and has the same contents as text and HTML', () => {
  for (const [language, zone] of [
    ['es-MX', 'America/Mexico_City'],
    ['es-ES', 'Europe/Madrid'],
    ['en-US', 'America/Chicago'],
    ['en', 'UTC'],
  ] as const) {
    for (const [name, content] of Object.entries(mailExamples(language, zone))) {
      const [html, text] = [renderHtml(content), renderText(content)];
      expect([name, html.match(/undefined|NaN|\[object|<img|<script|<link|<style| src=|url\(/)]).toEqual([name, null]);
      expect([name, text.match(/undefined|NaN|\[object|<|&nbsp;|[^.]\.\.(?!\.)/)]).toEqual([name, null]);
      expect(html).toContain(`<html lang="${language}">`);
      const htmlText = html
        .replace(/<head>.*<\/head>|<!--.*?-->/gs, '')
        .replace(/<[^>]+>/g, ' ')
        .replaceAll('&nbsp;', ' ')
        .replace(/\s+/g, ' ');
      for (const line of text.split('\n').filter((part) => !/^(-|\s*http)/.test(part))) {
        for (const words of line.split(/:(?: |$)| · | \[|\]|^ *\* /).map((part) => part.trim())) {
          expect([name, htmlText.replace(/ ?([(),.]) ?/g, '$1')]).toEqual([
            name,
            expect.stringContaining(words.replace(/ ?([(),.]) ?/g, '$1')),
          ]);
        }
      }
    }
  }
});

plainTest('the mail to an owner has the day of the planned delivery, and the digest the results of yesterday', () => {
  const tomorrow = (language: string): string =>
    new Intl.DateTimeFormat(language, { timeZone: 'UTC', weekday: 'long' }).format(Date.now() + DAY_MS);
  const mail = (language: string, name: string): string => renderText(mailExamples(language, 'UTC')[name] ?? raise());
  expect(mail('en', 'customer')).toContain(`Delivery planned: ${tomorrow('en')}`);
  expect(mail('es-MX', 'customer')).toContain(`Entrega prevista: ${tomorrow('es-MX')}`);
  expect(mail('en', 'digest')).toContain('Yesterday: 23 of 25 stops done, 2 not possible.');
  expect(mail('es-MX', 'digest')).toContain('Ayer: 23 de 25 paradas hechas, 2 no se pudieron hacer.');
});

plainTest('numbers are written by the rules of Mexico and of Spain', () => {
  const level = (language: string): string => renderText(mailExamples(language, 'UTC')['low'] ?? raise());
  expect(level('es-MX')).toContain('Nivel: 17.9% (umbral de alerta 20%)');
  expect(level('es-ES')).toContain('Nivel: 17,9 % (umbral de alerta 20 %)');
});

plainTest('a digest names each tank with its own number', () => {
  const text = renderText(digestMail(ORGANIZATION, digestExample(), Date.now()));
  for (const name of [
    'Bodega (T-24)',
    'Horno grande (T-08)',
    'Casa (T-17)',
    'Asador (T-12)',
    'Alberca (T-31)',
    'Cochera (T-21)',
  ])
    expect(text).toContain(`* ${name}`);
});

plainTest('a mail that leaves tanks out links to all of them in the console, and names no command', () => {
  const { devices = raise(), digest = raise() } = mailExamples('en-US', 'UTC');
  expect(renderText(devices)).toContain('https://tanks.example.com/console/fleet?status=silent');
  expect(renderText(devices)).not.toContain('alerts list');
  expect(renderHtml(devices)).toContain('See all in the console');
  expect(renderText(digest)).toContain('See all in the console');
});

interface TankAndOwner extends Pick<TankStatus, 'owner'> {
  tank: CatalogTank;
}

const withLongNames = <Item extends TankAndOwner>(item: Item): Item => ({
  ...item,
  tank: { ...item.tank, name: 'Tanque número 17 & '.repeat(20) },
  owner: { ...item.owner, name: 'Panadería La Espiga de Oro'.repeat(3), phone: '+52 461 555 0187' },
});

const raise = (): never => {
  throw new Error('no such mail');
};

plainTest('the longest digest stays below 100 KB, because Gmail hides the rest of a longer mail', () => {
  const { losing, low, gauge, due, silent, refilled, rounds } = digestExample();
  const filled = <Item extends TankAndOwner>({ listed }: { listed: readonly Item[] }, count: number) => ({
    total: 10_000,
    listed: Array.from({ length: count }, (_, n) => withLongNames(listed[n % listed.length] ?? raise())),
  });
  const digest = {
    losing: filled(losing, MAX_LISTED_TANKS.losing),
    low: filled(low, MAX_LISTED_TANKS.low),
    gauge: filled(gauge, MAX_LISTED_TANKS.gauge),
    due: filled(due, MAX_LISTED_TANKS.due),
    silent: filled(silent, MAX_LISTED_TANKS.silent),
    refilled: filled(refilled, MAX_LISTED_TANKS.refilled),
    rounds,
    handled: 10_000,
  };
  const page = `https://tanks.example.com/console/tanks/${crypto.randomUUID()}`;
  const html = renderHtml(digestMail(ORGANIZATION, digest, Date.now(), () => page));
  expect(Buffer.byteLength(html)).toBeLessThan(100_000);
});

test('a name with line breaks and HTML changes neither the headers nor the structure of a mail', async ({
  database,
}) => {
  const { mailbox } = await givenMailWorker(database);
  const evil = 'Casa\r\nBcc: evil@example.com\r\n\r\n<script>alert(1)</script> "x" <b>';
  const fleet = await givenTanked(
    database,
    { name: evil, phone: '"><b>1' },
    { name: evil, street: evil, city: '=1+1' },
  );
  await database.owner.query('update organizations set name = $2, reply_to = $3 where no = $1', [
    fleet.organizationNo,
    evil,
    'orders@gas.example',
  ]);
  await givenContact(database.operator, fleet.organizationNo, { email: 'safe@gas.example', types: ['tank.low_fill'] });
  await record(database, lowFillOf(fleet));
  await expect.poll(() => mailbox.of('safe@gas.example').length, soon).toBe(1);
  const [mail] = mailbox.of('safe@gas.example');
  expect([mail?.to, mail?.headers['bcc']]).toEqual([['safe@gas.example'], undefined]);
  expect(mail?.subject).not.toMatch(/[\r\n]/);
  expect(mail?.headers['reply-to']).toMatch(/<orders@gas\.example>$/);
  expect(mail?.html).not.toMatch(/<script|<b>1/);
  expect(mail?.html).toContain('&lt;script&gt;');
  expect(mail?.text).not.toMatch(/^Bcc:/m);
  expect(mailbox.mails).toHaveLength(1);
});

test('the mail to a dispatcher has the phone, the address, the rest of the gas, the days until empty and what to do', async ({
  database,
}) => {
  const { mailbox } = await givenMailWorker(database);
  const fleet = await givenTanked(
    database,
    {
      name: 'María López',
      phone: '+52 461 555 0142',
      external_key: 'C-1042',
      is_verified: true,
      email: 'maria@example.com',
    },
    { name: 'Casa', custom_id: 'T-17', street: 'Hidalgo', street_number: '4', city: 'Celaya', capacity: 300 },
  );
  await database.owner.query(
    `update organizations set name = 'Gas del Valle', language = 'es-MX', time_zone = 'America/Mexico_City',
       reply_to = 'pedidos@gas.example', phone = '+52 461 555 0100' where no = $1`,
    [fleet.organizationNo],
  );
  await givenContact(database.operator, fleet.organizationNo, {
    email: 'despacho@gas.example',
    types: ['tank.low_fill'],
  });
  const nowMs = Date.now();
  await new BatchIngester(database.writer).ingestReadings(
    Array.from({ length: 80 }, (_, n) => ({
      tankNo: fleet.tank.no,
      atMs: nowMs - (80 - n) * 6 * HOUR_MS,
      fillPercentage: Math.round((19.6 + (79 - n) * 0.3) * 100) / 100,
    })),
  );
  await expect.poll(() => mailbox.mails.length, soon).toBe(2);

  const [mail] = mailbox.of('despacho@gas.example');
  const text = (mail?.text ?? '').replaceAll('\r\n', '\n');
  expect(mail?.subject).toMatch(
    /^Casa \(María López\): nivel bajo, \d+(\.\d+)?%, se vacía en unos \d+ días \(de \d+ a \d+\)$/,
  );
  expect(mail?.headers['reply-to']).toBe('Gas del Valle <pedidos@gas.example>');
  for (const line of [
    /^Qué hacer: Programe una entrega: el tanque se vacía en unos \d+ días \(de \d+ a \d+\)\. Caben unos 18\d litros\.$/m,
    /^Tanque: Casa \(T-17\)$/m,
    /^Cliente: María López \(C-1042\)$/m,
    /^Teléfono: \+52 461 555 0142$/m,
    /^Dirección: Hidalgo 4, Celaya\n {2}https:\/\/www\.openstreetmap\.org\/search\?query=Hidalgo%204%2C%20Celaya$/m,
    /^Nivel: (20|19\.\d)% \(umbral de alerta 20%\)$/m,
    /^Gas restante: unos (59|60) de 300 litros$/m,
    /^Se vacía en: unos \d+ días \(de \d+ a \d+\)$/m,
    /^Dispositivo: D\d+$/m,
    /^Zona horaria: hora estándar central$/m,
  ]) {
    expect(text).toMatch(line);
  }
  const [own] = mailbox.of('maria@example.com');
  expect(own?.text).toContain('Para pedir gas, llame a Gas del Valle: +52 461 555 0100, o responda a este correo.');
  expect(own?.html).toContain('href="tel:+524615550100"');
  expect(own?.text).not.toContain('openstreetmap');
});
