import { createHash } from 'node:crypto';
import { beforeEach, expect, test, vi } from 'vitest';
import { mailExamples } from '../../scripts/mail_examples.ts';
import { renderHtml } from '../../src/mail/html.ts';
import { type MailContent, renderText } from '../../src/mail/layout.ts';
import { PRODUCT_NAMES, PRODUCTS, type Product } from '../../src/values/products.ts';
import released from './mails_of_0_3_0.json' with { type: 'json' };
import stored from './mails_without_products.json' with { type: 'json' };

const LOCALES = [
  ['en-US', 'America/Chicago'],
  ['es-MX', 'America/Mexico_City'],
] as const;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-16T13:00:00Z'), toFake: ['Date'] });
  return () => vi.useRealTimers();
});

/** A mail in the form of the stored files, which releases before products have written. */
const render = (mail: MailContent) => ({
  subject: mail.subject,
  text: renderText(mail).split('\n'),
  html: createHash('sha256').update(renderHtml(mail)).digest('hex'),
});

const mailsOf = (product: Product, language: string, zone: string): [string, string][] =>
  Object.entries(mailExamples(language, zone, { product, fill_limit_percentage: PRODUCTS[product].fillLimit })).map(
    ([name, mail]) => [name, `${mail.subject}\n${renderText(mail)}\n${renderHtml(mail)}`],
  );

test('a fleet without products gets exactly the mails that it got before products existed', () => {
  const now = LOCALES.flatMap(([language, zone]) =>
    Object.entries(mailExamples(language, zone)).map(([name, mail]) => [`${language} ${name}`, render(mail)]),
  );
  expect(Object.fromEntries(now)).toEqual(stored);
});

/** Texts that were changed for all fleets since 0.3.0, not because of products. */
const REWORDED = [
  ['gauge is in question', 'gauge is unreliable'],
  ['a gauge in question', 'an unreliable gauge'],
  ['Gauge in question (1)\n---------------------', 'Gauge unreliable (1)\n--------------------'],
  ['takes care of', 'is handling'],
  ['The last reading arrived on', 'The last reading is of'],
  ['e-mail', 'email'],
  ['Give the code to nobody.', 'Do not give the code to anybody.'],
  [
    'Call the customer now, and have the tank checked for a leak. If there is a smell of gas, everybody must leave the place first.',
    'Call the customer. Say first: “Please go outside now, with everybody. Do not touch any switch, no flame. Call me back from outside.” Then have the tank checked for a leak.',
  ],
  ['está en duda', 'no es confiable'],
  ['Indicador en duda (1)\n---------------------', 'Indicador no confiable (1)\n--------------------------'],
  ['indicador en duda', 'indicador no confiable'],
  ['se ocupa de', 'atiende'],
  ['La última lectura llegó el', 'La última lectura es del'],
  [
    'Llame ahora al cliente y pida que revisen si hay una fuga. Si huele a gas, todos deben alejarse primero del lugar.',
    'Llame al cliente. Diga primero: “Salga ahora, con todos. No toque ningún interruptor, nada de fuego. Llámeme desde afuera”. Después pida que revisen si hay una fuga.',
  ],
] as const;

test('a fleet without products gets the mails of 0.3.0, except for texts that were reworded', () => {
  const reword = (text: string): string => REWORDED.reduce((result, [old, now]) => result.replaceAll(old, now), text);
  let equal = 0;
  for (const [language, zone] of LOCALES) {
    const now = mailExamples(language, zone);
    for (const [key, { subject, text, html }] of Object.entries(released)) {
      const [ofLanguage, name = ''] = key.split(' ');
      const mail = ofLanguage === language ? now[name] : undefined;
      if (mail === undefined) continue;
      const written = [subject, text.join('\n')];
      expect([key, mail.subject, renderText(mail)]).toEqual([key, ...written.map(reword)]);
      if (written.some((part) => reword(part) !== part)) continue;
      expect([key, render(mail).html]).toEqual([key, html]);
      equal++;
    }
  }
  expect(equal).toBe(16); // of 26 mails
});

test('a mail about a tank without gas does not mention gas', () => {
  const wrong: string[] = [];
  for (const product of PRODUCT_NAMES.filter((name) => PRODUCTS[name].hazard !== 'gas'))
    for (const [language, zone] of LOCALES)
      for (const [name, text] of mailsOf(product, language, zone)) {
        // The name and the addresses of the organization contain "gas".
        const rest = text.replaceAll(/Gas del Valle|\S*@gas\S*/g, '').replaceAll(/gasoline|gasolina|gasóleo/gi, '');
        if (/\bgas\b/i.test(rest)) wrong.push(`${language} ${product} ${name}`);
      }
  expect(wrong).toEqual([]);
});

test('the owner of a leaking tank gets the safety steps for the hazard of its product', () => {
  const steps = (product: Product, locale: 0 | 1): string => {
    const [, text = ''] =
      mailsOf(product, LOCALES[locale][0], LOCALES[locale][1]).find(([name]) => name === 'customer_loss') ?? [];
    return text.slice(0, text.indexOf('<'));
  };
  expect(steps('butane', 0)).toMatch(
    /possible gas leak\n[^]*1\. Go outside now\.[^]*Call from outside: 911 if you smell gas/,
  );
  expect(steps('heating_oil', 0)).toMatch(
    /possible oil leak\n[^]*1\. Make no flame near the tank[^]*drains[^]*3\. Call: 911 if much has run out/,
  );
  expect(steps('heating_oil', 0)).not.toMatch(/outside|switch/);
  expect(steps('gasoline', 1)).toMatch(/posible fuga de gasolina\n[^]*1\. Aléjese del tanque[^]*motor/);
  expect(steps('water', 0)).toMatch(/possible water leak\n[^]*1\. Look whether the tank[^]*3\. Call: Gas del Valle/);
  expect(steps('water', 0)).not.toMatch(/911|flame|outside|firefighters/);
  expect(steps('water', 1)).not.toMatch(/911|fuego|afuera|bomberos/);
});

test('the volume that fits is counted up to the fill limit of the tank', () => {
  const { low_unplanned: mail } = mailExamples('en-US', 'UTC', { product: 'heating_oil', fill_limit_percentage: 90 });
  const text = mail === undefined ? '' : renderText(mail);
  // The tank holds 300 liters and is at 17.9 %.
  expect(text).toContain('Fits up to 90%: 216 liters');
  expect(text).toContain('About 216 liters fit.');
  expect(text).toContain('Oil left: about 54 of 300 liters');
});

test('the safety steps of the organization are sent only for the hazard of its default product', () => {
  const contents = { product: 'water', fill_limit_percentage: 100 } as const;
  const mail = mailExamples('en-US', 'UTC', contents, { safety_steps: ['Run.'], default_product: 'propane' });
  expect(renderText(mail['customer_loss'] ?? raise())).not.toContain('Run.');
  const gas = mailExamples('en-US', 'UTC', {}, { safety_steps: ['Run.'] });
  expect(renderText(gas['customer_loss'] ?? raise())).toContain('1. Run.');
});

const raise = (): never => {
  throw new Error('no such mail');
};
