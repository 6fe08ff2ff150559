import type { Page } from 'playwright-core';
import type { PictureFleet } from './screenshot_fleets.ts';
import { ROUTE_LIST, type View, type Visit, view } from './screenshot_views.ts';

/** Changes something as the person of the page. */
const send = (page: Page, method: 'POST' | 'PUT', path: string, body: object): Promise<unknown> =>
  page.evaluate(
    async ([how, where, json]) => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() };
      await fetch(`/manage/v1/${where}`, { method: how === 'PUT' ? 'PUT' : 'POST', headers, body: json });
    },
    [method, path, JSON.stringify(body)] as const,
  );

const read = async <T>(page: Page, path: string): Promise<T> =>
  JSON.parse(await page.evaluate<string, string>(async (url) => (await fetch(url)).text(), path));

const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();

/** Texts of people, in the language of the pictures. */
const inLanguage = async (page: Page, texts: { en: string; es: string }): Promise<string> =>
  (await page.evaluate<string>('navigator.language')).startsWith('es') ? texts.es : texts.en;

const COMMENTS = {
  en: 'Pedro brings 150 gallons with truck 3 before 2 PM.',
  es: 'Pedro lleva 150 galones con la pipa 3 antes de las 2 p.m.',
};

/** Acknowledges the last low tank, because the first one has a picture of its own, and mutes another tank. */
async function handleSome(page: Page, { low, gauge }: PictureFleet['lastTankIds']): Promise<void> {
  await send(page, 'POST', `tanks/${low}/acknowledgements`, {
    conditions: ['low'],
    until: inHours(6),
    comment: await inLanguage(page, COMMENTS),
    replaces: [],
  });
  await send(page, 'PUT', `tanks/${gauge}/mute`, { until: inHours(30), reason: 'New float is ordered.' });
}

async function writeNotes(page: Page, tankId: string): Promise<void> {
  const notes: { data: unknown[] } = await read(page, `/manage/v1/tanks/${tankId}/notes`);
  if (notes.data.length > 0) return;
  await send(page, 'POST', `tanks/${tankId}/notes`, { text: 'Hose of 40 m needed.', prints: true });
  await send(page, 'POST', `tanks/${tankId}/notes`, {
    text: 'Gate code 4471. The dog barks, and is friendly: call ten minutes before.',
    prints: true,
  });
}

async function addAddresses(page: Page): Promise<void> {
  const all = ['tank.rapid_loss', 'tank.low_fill', 'tank.device_silent', 'tank.gauge_unreliable'];
  const contacts = [
    { email: 'dispatch@greenmountaingas.example', name: 'Office', types: all, digest_at: '07:00' },
    { email: 'night.shift@greenmountaingas.example', name: null, types: ['tank.rapid_loss'] },
    { email: 'bookkeeping@greenmountaingas.example', name: 'Bookkeeping', types: ['tank.refilled'] },
  ];
  for (const contact of contacts) await send(page, 'POST', 'contacts', contact);
}

async function addWebhooks(page: Page): Promise<void> {
  const { data }: { data: unknown[] } = await read(page, '/manage/v1/webhooks');
  if (data.length > 0) return;
  await send(page, 'POST', 'webhooks', { url: 'https://erp.greenmountaingas.example/tankwatch', types: [] });
  const types = ['tank.low_fill', 'tank.rapid_loss'];
  await send(page, 'POST', 'webhooks', { url: 'https://hooks.routes.example/7f21a0c4/events', types });
}

/** Fills a field by its position, because labels differ by language. */
const fill = (page: Page, field: string, text: string): Promise<void> => page.locator(field).first().fill(text);

const UNANSWERED = /\/manage\/v1\/tanks\/[^/]+\/notes$/;

/** The forms in which people change something. */
const changes = ({ tankIds, lastTankIds }: PictureFleet): View[] => [
  view('act-today', '', '#handled', {
    prepare: (page) => handleSome(page, lastTankIds),
  }),
  view('act-handle', '', '#low tr[data-tank]', {
    act: async (page) => {
      const handle = page.locator('#low .c-act button').nth(1);
      if (!(await handle.isVisible())) return; // on a phone, only a loss has a button in its row
      await handle.click();
      await page.locator('.handle-row form').waitFor();
    },
  }),
  view('act-handle-loss', `tanks/${tankIds.leak}`, '.button.primary', {
    act: async (page) => {
      await page.locator('main .button.primary').first().click();
      await page.locator('form.handle input[type=radio]').last().check();
      await fill(page, 'form.handle input[type=datetime-local]', '2030-01-01T12:00');
      await page.locator('form.handle button[type=submit]').click();
      await page.locator('.field-problem').first().waitFor();
    },
  }),
  view('act-tank', `tanks/${tankIds.low}`, '.act-grid', {
    prepare: (page) => writeNotes(page, tankIds.low ?? ''),
    act: async (page) => {
      await page.locator('[aria-labelledby=threshold] button').click();
      await fill(page, '[aria-labelledby=threshold] input', '35');
      await page.locator('.trial').waitFor();
      await page.locator('[aria-labelledby=mute] button').click();
    },
  }),
  view('act-tank-errors', `tanks/${tankIds.low}`, '.act-grid', {
    act: async (page) => {
      await page.locator('[aria-labelledby=threshold] button').click();
      await fill(page, '[aria-labelledby=threshold] input', '135');
      await page.locator('.notes .panel-head button').click();
      await page.locator('.notes button[type=submit]').click();
      await page.locator('.note-list button').first().click();
    },
  }),
  view('act-unknown', `tanks/${tankIds.fine}`, '.act-grid', {
    prepare: (page) =>
      page.route(UNANSWERED, (route) => (route.request().method() === 'POST' ? route.abort() : route.continue())),
    act: async (page) => {
      await page.locator('.notes .panel-head button').click();
      await fill(page, '.notes textarea', await inLanguage(page, { en: 'Ring twice.', es: 'Toque dos veces.' }));
      await page.locator('.notes button[type=submit]').click();
      await page.locator('.form-problem button').waitFor();
    },
  }),
  view('act-left', `tanks/${tankIds.fine}`, '.left-change', {
    act: async (page) => {
      await page.unrouteAll();
      await page.evaluate('sessionStorage.clear()');
      await page.locator('.plot canvas').waitFor();
    },
  }),
  view('act-commission', 'commission', '.pick-list li'),
  view('act-commission-device', `commission/${tankIds.new}`, '.step form', {
    act: async (page) => {
      await fill(page, '.step input[type=text]', 'LW:D0:70B3D57ED0000000:A84041000181C061');
    },
  }),
  view('act-commission-taken', `commission/${tankIds.new}`, '.step form', {
    act: async (page) => {
      const { tank }: { tank: { assigned_device_id: string } } = await read(page, `/fleet/v1/tanks/${tankIds.fine}`);
      await fill(page, '.step input[type=text]', tank.assigned_device_id);
      await page.locator('.step button[type=submit]').click();
      await page.locator('.step .notice').waitFor();
    },
  }),
  view('act-commission-wait', `commission/${tankIds.new}?put=${Date.now() - 103_000}`, '.waiting'),
  view('act-commission-dial', `commission/${tankIds.fine}?put=${Date.now() - 1_200_000}&step=dial`, '.step form', {
    act: (page) => fill(page, '.step input[type=text]', '5'),
  }),
  view('act-people', 'people', '.people-list li', {
    prepare: addAddresses,
    act: async (page) => {
      await fill(page, '[aria-labelledby=invite] input[type=email]', 'marta@gas');
      await page.locator('[aria-labelledby=invite] button[type=submit]').click();
    },
  }),
  view('act-mails', 'mails', '.mail-table tbody'),
  view('act-mails-remove', 'mails', '.mail-table tbody', {
    act: async (page) => {
      await page.locator('.remove button').first().click();
      await page.locator('.removal button[type=submit]').click();
    },
  }),
  view('act-webhooks', 'webhooks', '.webhook', { prepare: addWebhooks }),
  view('act-webhook-secret', 'webhooks', '.webhook', {
    act: async (page) => {
      await page.locator('.webhook .button').nth(1).click();
      await page.locator('.secret').waitFor();
      await page.locator('.webhook [aria-expanded]').first().click();
      await page.locator('form[aria-labelledby=new-webhook] input[type=radio]').last().check();
      await page.locator('form[aria-labelledby=new-webhook] button[type=submit]').click();
    },
  }),
  view('act-devices', 'devices', '.devices table', {
    act: async (page) => {
      await page.locator('.take-on button').first().click();
      await page.locator('.devices .tabs').getByText('2').waitFor();
    },
  }),
  view('act-import', 'imports', '.imports .choose', {
    act: async (page) => {
      await page.locator('input[type=file]').setInputFiles(ROUTE_LIST);
      await page.locator('.refused-table').waitFor();
      await page.locator('.dry-run .button.primary').click();
      await page.locator('.imports .notice[role=status]').waitFor();
    },
  }),
  view('act-audit', 'audit', '.audit-table'),
];

/** These views are taken after all others, because they change something. */
export const CHANGING: Visit = { fleet: 'worst', views: changes };
