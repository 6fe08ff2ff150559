import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { rightsOfRole } from '../../packages/console/src/settings/role_rights.ts';
import { CHANGE_TEXTS } from '../../packages/console/src/translations/change.ts';
import { COMMISSION_TEXTS } from '../../packages/console/src/translations/commission.ts';
import { en as english } from '../../packages/console/src/translations/en.ts';
import { es as spanish } from '../../packages/console/src/translations/es.ts';
import { LEAK_TEXTS_OF } from '../../packages/console/src/translations/leak.ts';
import { PEOPLE_TEXTS } from '../../packages/console/src/translations/people.ts';
import { ROUND_PRINT_TEXTS } from '../../packages/console/src/translations/round_print.ts';
import { SCORE_TEXTS } from '../../packages/console/src/translations/score.ts';
import { TANK_FORM_TEXTS } from '../../packages/console/src/translations/tank_forms.ts';
import { CLEAR_FALL_POINTS, DAYS_AHEAD, LEARNING_DAYS } from '../../src/evaluation/pure/score/score_tank.ts';
import { CONSOLE_ROLES, rightsOf } from '../../src/keys/console_roles.ts';
import { writerFor } from '../../src/mail/mail_organization.ts';
import { PRODUCT_NAMES, PRODUCT_NOUNS, PRODUCTS, type Product } from '../../src/values/products.ts';

const en = english('gas');
const es = spanish('gas');

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCE = join(ROOT, 'packages/console/src');

/** The path of every text, with its kind: a plain text, or a function with its number of values. */
function pathsOf(value: unknown, path = ''): string[] {
  if (typeof value === 'string') return value === '' ? [] : [`${path} text`];
  if (typeof value === 'function') return [`${path} ${value.length}`];
  return Object.entries(value ?? {}).flatMap(([name, inner]) => pathsOf(inner, `${path}/${name}`));
}

test('every text of the console exists in both languages, with the same values', async () => {
  expect(pathsOf(en).length).toBeGreaterThan(150);
  expect(pathsOf(es)).toEqual(pathsOf(en));
  // Texts of pages that are loaded later.
  const folder = join(SOURCE, 'translations');
  const found: string[] = [];
  for (const file of await readdir(folder)) {
    const exported: Readonly<Record<string, { en?: unknown; es?: unknown }>> = await import(
      pathToFileURL(join(folder, file)).href
    );
    for (const [name, texts] of Object.entries(exported)) {
      if (!name.endsWith('_TEXTS')) continue;
      found.push(name);
      expect(pathsOf(texts.en).length, name).toBeGreaterThan(2);
      expect(pathsOf(texts.es), name).toEqual(pathsOf(texts.en));
    }
  }
  expect(found.length).toBeGreaterThan(20);
});

test('times in Spanish sentences have their articles', () => {
  const { connection, today, leak } = es;
  expect([
    connection.dataOf('7:02 a.m.'),
    connection.dataOf('15 nov, 7:02 a.m.'),
    connection.oldBanner('1:30 p.m.'),
    today.lowSince('7 nov, 12:50 p.m.'),
    today.new('08:13'),
    leak.title('15 nov, 10:09 p.m.'),
    leak.atRateAt('5:14 p.m.'),
    today.lowSince('hoy'),
    COMMISSION_TEXTS.es.arrived('41 %', '1:15 p.m.'),
    CHANGE_TEXTS.es.changed('Luz', '7:02 a.m.'),
    TANK_FORM_TEXTS.es.handle.by('Luz', '7:02 a.m.', '17 nov, 7:50 p.m.'),
    ROUND_PRINT_TEXTS.es.replaces('10:42 a.m.'),
    ROUND_PRINT_TEXTS.es.isOld('16 nov, 10:42 a.m.'),
    SCORE_TEXTS.es.about('52 tanques', '16 nov 2025', '16 nov 2026, 7:55 a.m.'),
  ]).toEqual([
    'datos de las 7:02 a.m.',
    'datos del 15 nov, 7:02 a.m.',
    'El servicio no responde desde la 1:30 p.m.',
    'desde el 7 nov, 12:50 p.m.',
    'nuevo a las 08:13',
    'Pierde gas desde el 15 nov, 10:09 p.m.',
    'a este ritmo, hacia las 5:14 p.m.',
    'desde hoy',
    '41 %, leído a la 1:15 p.m.',
    'Luz cambió esto a las 7:02 a.m.',
    'Luz lo atiende hasta el 17 nov, 7:50 p.m., desde las 7:02 a.m.',
    'reemplaza la hoja de las 10:42 a.m.',
    'La hoja del 16 nov, 10:42 a.m. ya no vale.',
    '52 tanques, desde el 16 nov 2025. Calculado el 16 nov 2026, 7:55 a.m.',
  ]);
});

test('the score page says when the first forecast is judged, by the numbers of the scorer', () => {
  for (const { noForecasts } of Object.values(SCORE_TEXTS))
    expect(noForecasts.match(/\d+/g)?.map(Number)).toEqual([LEARNING_DAYS, DAYS_AHEAD[0], CLEAR_FALL_POINTS]);
});

test('the page of people names every right of every role', () => {
  for (const role of CONSOLE_ROLES) {
    const shownRights = rightsOfRole(role);
    expect(shownRights).toContain('read');
    expect(shownRights.filter((right) => right !== 'read').toSorted()).toEqual(rightsOf([role]).toSorted());
    for (const { rights } of Object.values(PEOPLE_TEXTS))
      expect(shownRights.map((right) => rights[right]).every((text) => text !== '')).toBe(true);
  }
});

/** Words between tags, and attributes that people read, written in the source instead of taken from the texts. */
const TEXTS = [
  />\s*([A-Za-zÁÉÍÓÚÑáéíóúñ][^<>{}=;()]*)<\//g,
  /\}\s*([A-Za-zÁÉÍÓÚÑáéíóúñ]{2}[^<>{}=;()]*)<\//g,
  /\b(?:aria-label|title|placeholder|alt)="([^"]*[A-Za-z][^"]*)"/g,
];

test('no component of the console has a text of its own outside of the translations', async () => {
  const files = (await readdir(SOURCE, { recursive: true })).filter((file) => file.endsWith('.tsx'));
  expect(files.length).toBeGreaterThan(30);
  const found: string[] = [];
  for (const file of files) {
    const source = await readFile(join(SOURCE, file), 'utf8');
    for (const pattern of TEXTS)
      for (const [, text] of source.matchAll(pattern)) found.push(`${file}: ${text?.trim()}`);
  }
  expect(found).toEqual([]);
});

test('the patterns find a text that is written in a component', () => {
  const finds = (source: string): boolean => TEXTS.some((pattern) => source.search(pattern) >= 0);
  expect(finds('<button>Save</button>')).toBe(true);
  expect(finds('<b>{count} tanks</b>')).toBe(true);
  expect(finds('<input aria-label="Name" />')).toBe(true);
  expect(finds('<b>{words.save}</b>')).toBe(false);
});

/** The texts in a source file: what is between quotation marks, without comments and names of properties. */
const textsIn = (source: string): string[] =>
  source.replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, '').match(/'(?:[^'\\\n]|\\.)*'(?!:)|`(?:[^`\\]|\\.)*`|"[^"\n]*"/g) ?? [];

/** Words of operators and programs, and words that have another form everywhere else. */
const INTERNAL_WORDS = /\btankwatch [a-z]+|\/manage\/v1|\bdips?\b|cannot be told|litre/;

test('the console, the page of drivers and mails have no commands, no paths of the interface and no "dip"', async () => {
  const folders = ['packages/console/src/translations', 'packages/console/driver/words', 'src/mail'];
  const found: string[] = [];
  for (const folder of folders)
    for (const file of await readdir(join(ROOT, folder))) {
      const source = await readFile(join(ROOT, folder, file), 'utf8');
      for (const text of textsIn(source))
        if (INTERNAL_WORDS.test(text) && !/\bimport\b|select |\.ts'$/.test(text)) found.push(`${file}: ${text}`);
    }
  expect(found).toEqual([]);
  expect(textsIn(`// 'a dip'\nconst text = 'Enter a dip';`)).toEqual([`'Enter a dip'`]);
  expect(INTERNAL_WORDS.test('Enter a dip')).toBe(true);
});

test('mails and the console have the same steps for a leak, and mention gas only for a product that is a gas', () => {
  for (const language of ['en', 'es'] as const)
    for (const product of PRODUCT_NAMES) {
      const contents = { product, fill_limit_percentage: PRODUCTS[product].fillLimit, has_own_limit: false };
      const { texts } = writerFor({ language, time_zone: 'UTC' }, contents);
      const { steps, owner } = LEAK_TEXTS_OF[language](product);
      expect(texts.advice['tank.rapid_loss']).toContain(steps.say);
      expect(texts.loss.steps('911', 'Gas', null).slice(0, 2)).toEqual(owner.first.map(({ step }) => step));
      const allTexts = JSON.stringify([
        translationFor(language, product),
        owner,
        steps,
        owner.since('', '', ''),
        steps.facts('', '', ''),
      ]);
      if (PRODUCTS[product].hazard !== 'gas') expect(allTexts).not.toMatch(/\bgas(?!\p{L})/iu);
    }
});

const translationFor = (language: 'en' | 'es', product: Product) => {
  const { status, events, leak, today, chart } = { en: english, es: spanish }[language](
    PRODUCT_NOUNS[language][product],
  );
  return [status, events, today.sections, chart.leak, leak.losing, leak.isLosing('T'), leak.title('')];
};

/** These files have headings as people write them in their own files, or texts about the meter of a truck. */
const FILES_ABOUT_METERS = new Set([
  'src/values/heading_words.ts',
  'src/deliveries/verdict_texts.ts',
  'packages/console/src/translations/ledger.ts',
  'packages/console/src/translations/record_stop.ts',
  'packages/console/src/translations/round_print.ts',
]);

test('a gauge is called indicador in Spanish, in the console, in mails and in the documentation', async () => {
  const folders = ['src', 'packages/console/src', 'packages/client/src', 'docs', 'scripts'];
  const listed = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(join(ROOT, folder), { recursive: true })).map((file) => join(folder, file)),
    ),
  );
  const files = listed.flat().filter((file) => /\.(tsx?|md|html)$/.test(file) && !FILES_ABOUT_METERS.has(file));
  expect(files).toContain('src/mail/spanish.ts');
  const found: string[] = [];
  for (const file of files) if (/medidor/i.test(await readFile(join(ROOT, file), 'utf8'))) found.push(file);
  expect(found).toEqual([]);
});
