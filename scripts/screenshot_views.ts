import type { Page } from 'playwright-core';
import type { PictureFleet } from './screenshot_fleets.ts';

/** A page, or a state of a page. */
export interface View {
  name: string;
  /** The path below /console/. */
  path: string;
  /** A selector of an element that is on the page when it is loaded. */
  ready: string;
  /** Runs before the page is loaded. */
  prepare?: (page: Page) => Promise<unknown>;
  /** Runs after the page is loaded. */
  act?: (page: Page) => Promise<unknown>;
  isPrinted?: boolean;
}

/** The views of one person. */
export interface Visit {
  fleet: FleetName;
  /** Empty if the person is a dispatcher with all rights. */
  ownerKey?: (fleet: PictureFleet) => string | undefined;
  views: (fleet: PictureFleet) => View[];
}

const FLEETS = ['none', 'one', 'calm', 'worst', 'large'] as const;
export type FleetName = (typeof FLEETS)[number];

const CHART = 'figure.chart canvas';

export const view = (name: string, path: string, ready: string, more: Partial<View> = {}): View => ({
  name,
  path,
  ready,
  ...more,
});

const failLow = (page: Page): Promise<unknown> =>
  page.route(
    (url) => url.searchParams.get('section') === 'low',
    (route) => route.fulfill({ status: 503, contentType: 'application/problem+json', body: '{}' }),
  );

/** Opens the form of a button in the row of them. */
async function openForm(page: Page, at: number, form: string): Promise<void> {
  await page.locator('.button-row [aria-expanded]').nth(at).click();
  await page.locator(form).waitFor();
}

/** A file of an office: units in headings, letters for digits, levels with their days, and an unknown heading. */
export const ROUTE_LIST = {
  name: 'route list november.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(
    [
      'Acct #,Name,Phone 1,Street,Where,Tank Ser.,Size (gal),Level %,Read on,Time',
      '10413,"Thibault, Grace",(802) 829-0501,31 Elm St,Milton,88213-A,500,42,11/14/2025,7:40',
      '10413,"Thibault, Grace",(802) 829-0501,31 Elm St,Milton,88214,250,61,11/14/2025,7:45',
      '10414,Inn of Cole,802-713-7578,4 Harbor Rd,Shelburne,90117,1000,18,11/16/2025,14:05',
      '10530,"Perkins, Noah",+1 802 555 0160,14 Maple St,Milton,88260,5OO,,,',
      '10531,"Morse, Henry",,8 Pearl St,Milton,88307,454 L,,,',
    ].join('\n'),
  ),
};

/** The names of the background are drawn. */
const DRAWN_MAP = '.map[data-names]';

/** The pages of a dispatcher on the worst day. The last one ends the session. */
const worstDay = ({ tankIds, customer, deliveries }: PictureFleet): View[] => [
  view('today-worst', '', '.today table'),
  view('fleet-worst', 'fleet', 'tr[data-tank]'),
  view('fleet-section', 'fleet?section=low', 'tr[data-tank]'),
  view('map', 'fleet?view=map', DRAWN_MAP),
  view('map-lake', 'fleet?view=map&at=44.5,-73.2,9.6', DRAWN_MAP),
  view('map-card', 'fleet?view=map', '.map-marks .losing', {
    act: async (page) => {
      await page.locator('.map-marks .losing').click();
      await page.locator('.map-card .card-actions').waitFor();
    },
  }),
  view('tank-leak', `tanks/${tankIds.leak}`, CHART),
  view('tank-low', `tanks/${tankIds.low}`, CHART),
  view('tank-gauge', `tanks/${tankIds.gauge}`, CHART),
  view('tank-silent', `tanks/${tankIds.silent}`, CHART),
  view('tank-refilled', `tanks/${tankIds.refilled}`, CHART),
  view('tank-new', `tanks/${tankIds.new}`, CHART),
  view('tank', `tanks/${tankIds.fine}`, CHART),
  view('round', `round?truck=${deliveries?.truckIds.usual}`, '.plan-stops', {
    act: async (page) => {
      await page.locator('.round-map').scrollIntoViewIfNeeded(); // it is loaded when it is seen
      await page.locator('.round-map .map[data-line]').waitFor();
    },
  }),
  view('round-record', `round?truck=${deliveries?.truckIds.usual}`, '.plan-stops', {
    act: async (page) => {
      await page.locator('.plan-stops .p-act .button').first().click();
      await page.locator('.record-form').waitFor();
    },
  }),
  view('round-link', `round?truck=${deliveries?.truckIds.usual}`, '.plan-stops', {
    act: async (page) => {
      await page.locator('.page-head .button.primary').click();
      await page.locator('.driver-link code').waitFor();
    },
  }),
  view('round-over', `round?truck=${deliveries?.truckIds.over}`, '.plan-stops'),
  view('round-new', `round?date=${deliveries?.nextDay}`, '.proposed'),
  view('ledger', 'ledger', '.ledger-figures'),
  view('ledger-refills', 'ledger?list=refill_without_note', '.ledger-figures'),
  view('driver', `../driver/#${deliveries?.driverToken}`, '.stop-card'),
  view('driver-why', `../driver/#${deliveries?.driverToken}`, '.stop-card', {
    act: (page) => page.locator('.stop-card button').last().click(),
  }),
  view('customers', 'customers', '.customers tbody tr'),
  view('customer', `customers/${customer.id}`, 'tr[data-tank]'),
  view('customer-edit', `customers/${customer.id}`, '.button-row [aria-expanded]', {
    act: (page) => openForm(page, 0, '.act-form'),
  }),
  view('tank-new-form', `customers/${customer.id}`, '.button-row [aria-expanded]', {
    act: (page) => openForm(page, 1, '.act-form'),
  }),
  view('tank-edit', `tanks/${tankIds.fine}`, '.button-row [aria-expanded]', {
    act: async (page) => {
      await openForm(page, 0, '.act-form');
      await page.locator('.place-picker button').first().click();
      await page.locator('.place-picker .map[data-names]').waitFor();
    },
  }),
  view('devices', 'devices', '.devices table'),
  view('devices-taken', 'devices?show=taken_on', '.devices table'),
  view('devices-all', 'devices?show=all', '.devices table'),
  view('devices-store', 'devices?show=in_store', '.devices table'),
  view('import', 'imports', '.imports .choose'),
  view('import-file', 'imports', '.imports .choose', {
    act: async (page) => {
      await page.locator('input[type=file]').setInputFiles(ROUTE_LIST);
      await page.locator('.refused-table').waitFor();
    },
  }),
  view('trucks', 'trucks', '.transport', {
    act: async (page) => {
      await page.locator('.transport summary').first().click();
      await page.locator('.transport select').last().selectOption('');
    },
  }),
  view('events', 'events', '.event-table'),
  view('settings', 'settings', '.settings h2'),
  view('people', 'people', '.people-list li'),
  view('duty', 'duty', '.duty-run'),
  view('duty-forms', 'duty', '.duty-run', {
    act: async (page) => {
      await page.locator('.week-head [aria-expanded]').click();
      await page.locator('.reach-buttons [aria-expanded]').first().click();
      await page.locator('.act-form').first().waitFor();
    },
  }),
  view('mails', 'mails', '.mails form'),
  view('sources', 'sources', '.sources form'),
  view('webhooks', 'webhooks', '.webhooks form'),
  view('audit', 'audit', '.settings h1'),
  view('commission', 'commission', '.step input'),
  view('commission-tank', `commission/${tankIds.new}`, '.step input'),
  view('handle', `tanks/${tankIds.low}`, '.no-print > .button.primary', {
    act: async (page) => {
      await page.locator('.no-print > .button.primary').click();
      await page.locator('form.handle').waitFor();
    },
  }),
  view('score', 'score', 'h1'),
  view('nowhere', 'nowhere', '.notice'),
  view('search', 'customers', '.customers tbody tr', {
    act: async (page) => {
      await page.locator('[role=combobox]').fill('perkins');
      await page.locator('[role=option]').first().waitFor();
    },
  }),
  view('menu', 'events', '.event-table', { act: (page) => page.locator('details.menu summary').click() }),
  view('print-round', `round?truck=${deliveries?.truckIds.usual}`, '.plan-stops', { isPrinted: true }),
  view('print-tank', `tanks/${tankIds.low}`, CHART, { isPrinted: true }),
  view('print-leak', `tanks/${tankIds.leak}`, CHART, { isPrinted: true }),
  view('print-today', '', '.today table', { isPrinted: true }),
  view('print-fleet', 'fleet', 'tr[data-tank]', { isPrinted: true }),
  view('print-customer', `customers/${customer.id}`, 'tr[data-tank]', { isPrinted: true }),
  // From here on, a section fails.
  view('today-failed', '', '.failed', { prepare: failLow }),
  view('session-ended', '', '.today table', {
    act: async (page) => {
      await page.context().clearCookies();
      await page.locator('.ended').waitFor();
    },
  }),
];

/** The views that depend on the number of tanks. */
const ofSize = (size: FleetName) => (): View[] => {
  const isEmpty = size === 'none';
  return [
    view(`today-${size}`, '', '.today'),
    view(`fleet-${size}`, 'fleet', isEmpty ? '.notice' : 'tr[data-tank]'),
    view(`map-${size}`, 'fleet?view=map', isEmpty ? '.notice' : DRAWN_MAP, {}),
    view(`customers-${size}`, 'customers', 'h1'),
    view(`events-${size}`, 'events', 'h1'),
    ...(isEmpty
      ? ['round', 'ledger', 'devices', 'imports', 'trucks', 'duty', 'sources'].map((page) =>
          view(`${page}-none`, page, 'h1'),
        )
      : []),
  ];
};

const owner = (story: keyof PictureFleet['tankIds']): Visit => ({
  fleet: 'worst',
  ownerKey: ({ ownerKeys }) => ownerKeys[story],
  views: ({ tankIds }) => [
    view(`owner-${story}`, '', '.owner-tank'),
    ...(story === 'leak' || story === 'fine' ? [view(`owner-tank-${story}`, `tanks/${tankIds[story]}`, CHART)] : []),
  ],
});

export const VISITS: readonly Visit[] = [
  { fleet: 'worst', views: worstDay },
  ...(['none', 'one', 'calm', 'large'] as const).map((fleet): Visit => ({ fleet, views: ofSize(fleet) })),
  owner('leak'),
  owner('low'),
  owner('fine'),
  owner('gauge'),
  owner('silent'),
  owner('new'),
  owner('refilled'),
  {
    fleet: 'worst',
    ownerKey: ({ severalKey }) => severalKey,
    views: () => [view('owner-several', '', '.owner-tank')],
  },
];

/** Views that are taken while the service hangs. */
export const HUNG: readonly Visit[] = [
  {
    fleet: 'worst',
    views: ({ tankIds }) => [view('hung-today', '', '.today table'), view('hung-tank', `tanks/${tankIds.low}`, CHART)],
  },
  {
    fleet: 'worst',
    ownerKey: ({ ownerKeys }) => ownerKeys.leak,
    views: () => [view('hung-owner', '', '.owner-tank')],
  },
];
