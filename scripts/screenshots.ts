import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Pool } from 'pg';
import type { Browser, BrowserContext } from 'playwright-core';
import { launchBrowser, SOFTWARE_WEBGL } from '../engines/browser.ts';
import { startDatabase } from '../engines/database.ts';
import { RoleProcess } from '../engines/process.ts';
import { freePort } from '../src/setup/servers/free_port.ts';
import { scoreOrganization, storeScore } from '../src/status/score_organization.ts';
import { type Album, Camera, type Look } from './screenshot_camera.ts';
import { CHANGING } from './screenshot_changes.ts';
import { giveDeliveries } from './screenshot_deliveries.ts';
import { giveDeviceTroubles } from './screenshot_devices.ts';
import { giveDuty } from './screenshot_duty.ts';
import { CALM_DAY, createPictureFleet, type PictureFleet, USUAL_DAY, WORST_DAY } from './screenshot_fleets.ts';
import { mailNames, photographMails } from './screenshot_mails.ts';
import {
  API_SECRETS_KEY,
  giveIssuer,
  givePerson,
  LINK_NAMES,
  LINK_SECRET,
  photographSignIns,
  SIGN_IN_NAMES,
  signInPerson,
  signInWithKey,
} from './screenshot_sign_ins.ts';
import { giveSources } from './screenshot_sources.ts';
import { type FleetName, HUNG, VISITS, type View, type Visit } from './screenshot_views.ts';

/**
 * Writes one picture of each page and state of the console, of the pages that links of mails open, and of mails:
 * `npm run screenshots -- [FOLDER] [--only NAME,NAME] [--width phone] [--language es] [--theme dark]`. With `--only`, it
 * writes the pictures whose names begin with one of these texts. One browser and one installation serve all pictures.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: '' },
    width: { type: 'string', default: 'desk' },
    language: { type: 'string', default: 'en' },
    theme: { type: 'string', default: 'light' },
  },
});
const isWanted = (name: string): boolean => values.only.split(',').some((start) => name.startsWith(start));
const look: Look = {
  width: (['desk', 'tablet', 'phone'] as const).find((width) => width === values.width) ?? 'desk',
  language: values.language === 'es' ? 'es' : 'en',
  theme: values.theme === 'dark' ? 'dark' : 'light',
};
/** Pages that are open at once. While one page waits for the service, another one is drawn. */
const PAGES_AT_ONCE = 3;
const ROLES = ['administrator', 'dispatcher', 'technician'] as const;
const PERSON = { email: 'kim@example.com', name: 'Kim Baker', roles: ROLES };
/** Fleets whose pictures show the session of a person with all roles. The others show the session of a key, which cannot change anything. */
const PEOPLE: Partial<Record<FleetName, typeof PERSON>> = {
  worst: PERSON,
  none: { email: 'ada@example.com', name: 'Ada Lind', roles: ROLES },
};

type Fleets = Readonly<Record<FleetName, PictureFleet>>;

async function createFleets(owner: Pool): Promise<Fleets> {
  const create = (code: string, name: string, tanks: number, stories: typeof CALM_DAY, country?: 'MX') =>
    createPictureFleet(owner, { code, name, tanks, stories, ...(country && { country }) });
  const fleets = {
    none: await create('a0none', 'New Gas Company', 0, ['fine']),
    one: await create('a0one', 'Gas del Valle', 1, ['fine'], 'MX'),
    calm: await create('a0calm', 'NothingToDo Gas', 52, CALM_DAY),
    worst: await create('a0worst', 'Green Mountain Gas', 52, WORST_DAY),
    large: await create('a0large', 'Large Gas', 2_000, USUAL_DAY),
  };
  const { organizationNo } = fleets.worst;
  const score = await scoreOrganization(owner, { organizationNo, maxTanks: 52, days: 365 }, Date.now());
  await storeScore(owner, organizationNo, score);
  for (const name of ['worst', 'none'] as const) {
    const person = PEOPLE[name];
    if (person !== undefined) await givePerson(owner, fleets[name], person);
  }
  await giveIssuer(owner, fleets.worst);
  await giveSources(owner, fleets.worst, API_SECRETS_KEY);
  await giveDuty(owner, fleets.worst, API_SECRETS_KEY);
  await giveDeviceTroubles(owner, fleets.worst, PERSON.email);
  fleets.worst.deliveries = await giveDeliveries(owner, fleets.worst, LINK_SECRET);
  return fleets;
}

async function startApi(settings: Record<string, string>): Promise<{ api: RoleProcess; url: string }> {
  const port = await freePort();
  const api = new RoleProcess('api', {
    ...settings,
    API_HOST: '127.0.0.1',
    API_PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    API_DRAIN_MS: '0',
    LINK_SECRET,
    API_SECRETS_KEY,
  });
  await api.start();
  return { api, url: `http://127.0.0.1:${port}` };
}

/** Sign-ins run one after the other, because a person has one code at a time, and several pages are visited at once. */
let lastSignIn: Promise<void> = Promise.resolve();
function signInAlone(signIn: () => Promise<void>): Promise<void> {
  lastSignIn = lastSignIn.catch(() => undefined).then(signIn);
  return lastSignIn;
}

class Photographer {
  readonly #browser: Browser;
  readonly #url: string;
  readonly #owner: Pool;
  readonly #fleets: Fleets;
  readonly #album: Album;

  constructor(browser: Browser, url: string, owner: Pool, fleets: Fleets, album: Album) {
    this.#browser = browser;
    this.#url = url;
    this.#owner = owner;
    this.#fleets = fleets;
    this.#album = album;
  }

  #openContext(): Promise<BrowserContext> {
    return this.#browser.newContext({
      baseURL: this.#url,
      locale: look.language === 'en' ? 'en-US' : 'es-MX',
      timezoneId: 'America/New_York',
    });
  }

  async #signIn({ fleet: name, ownerKey }: Visit): Promise<Camera> {
    const fleet = this.#fleets[name];
    const camera = await Camera.open(await this.#openContext(), this.#album);
    await camera.page.goto('/console/');
    const person = PEOPLE[name];
    if (person !== undefined && ownerKey === undefined)
      await signInAlone(() => signInPerson(camera.page, this.#owner, person.email));
    else await signInWithKey(camera.page, ownerKey === undefined ? fleet.key : (ownerKey(fleet) ?? ''));
    return camera;
  }

  async #load({ page }: Camera, { path, ready, prepare, act }: View): Promise<void> {
    await prepare?.(page);
    // Without this, another address of the same document would not load it again.
    if (path.includes('#')) await page.goto('about:blank');
    await page.goto(`/console/${path}`);
    await page.locator(ready).first().waitFor({ state: 'attached' });
    await act?.(page);
  }

  async visit(visit: Visit): Promise<void> {
    const wanted = wantedViews(visit, this.#fleets);
    if (wanted.length === 0) return;
    const camera = await this.#signIn(visit);
    for (const view of wanted)
      await this.#photograph(camera, view).catch((error: unknown) => noteFault(this.#album, view.name, error));
    await camera.page.context().close();
  }

  async #photograph(camera: Camera, view: View): Promise<void> {
    const { name, isPrinted = false } = view;
    await camera.page.emulateMedia({ media: isPrinted ? 'print' : 'screen' });
    await this.#load(camera, view);
    await camera.take(name);
    if (isPrinted) await camera.page.pdf({ path: join(this.#album.folder, `${name}.pdf`), format: 'A4' });
    await camera.page.unrouteAll();
  }

  async signIns(): Promise<void> {
    if (![...SIGN_IN_NAMES, ...LINK_NAMES].some(isWanted)) return;
    const context = await this.#openContext();
    const { one, calm, worst } = this.#fleets;
    const [owner, album] = [this.#owner, this.#album];
    const fleets = look.language === 'es' ? ([one, worst] as const) : ([calm, worst] as const);
    await photographSignIns(context, { owner, album, fleets, isWanted });
    await context.close();
  }

  async mails(): Promise<void> {
    const context = await this.#openContext();
    await photographMails(context, this.#album, isWanted);
    await context.close();
  }

  /** Takes these pictures at the same time, because a hanging service hangs for all pages. */
  async hang(api: RoleProcess): Promise<void> {
    const { pid } = api;
    if (pid === undefined) throw new Error('the api does not run');
    const opened: { camera: Camera; view: View }[] = [];
    for (const visit of HUNG) {
      const wanted = wantedViews(visit, this.#fleets);
      if (wanted.length === 0) continue;
      const { page } = await this.#signIn(visit);
      for (const view of wanted) {
        const camera = await Camera.open(page.context(), this.#album);
        await this.#load(camera, view);
        opened.push({ camera, view });
      }
    }
    if (opened.length === 0) return;
    process.kill(pid, 'SIGSTOP');
    for (const { camera, view } of opened) {
      camera.isHung = true;
      await camera.page.locator('.old-banner').waitFor();
      await camera.take(view.name);
    }
    process.kill(pid, 'SIGCONT');
    for (const { camera } of opened) await camera.page.context().close();
  }
}

/** If a picture fails, the other ones are still taken. */
function noteFault({ faults }: Album, name: string, error: unknown): void {
  faults.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
}

const wantedViews = ({ fleet, views }: Visit, fleets: Fleets): View[] =>
  // Paper has one width.
  views(fleets[fleet]).filter(({ name, isPrinted }) => isWanted(name) && (!isPrinted || look.width === 'desk'));

const countPictures = (fleets: Fleets): number =>
  [...VISITS, CHANGING, ...HUNG].flatMap((visit) => wantedViews(visit, fleets)).length +
  [...SIGN_IN_NAMES, ...LINK_NAMES, ...mailNames()].filter(isWanted).length;

const startedAtMs = Date.now();
const folder = positionals[0] ?? 'screenshots';
await mkdir(folder, { recursive: true });
await using started = new AsyncDisposableStack();
const database = await startDatabase();
started.defer(() => database.stop());
const fleets = await createFleets(database.owner);
console.log(`the fleets are stored, ${Math.round((Date.now() - startedAtMs) / 1_000)} s`);
const { api, url } = await startApi({
  API_DATABASE_URL: database.urls.api,
  MANAGE_DATABASE_URL: database.urls.manager,
});
started.defer(() => api.stop());
const browser = await launchBrowser(SOFTWARE_WEBGL);
started.defer(() => browser.close());
const album: Album = { folder, look, total: countPictures(fleets), saved: 0, faults: [], startedAtMs };
const photographer = new Photographer(browser, url, database.owner, fleets, album);
const takeAll = async (works: (() => Promise<void>)[]): Promise<void> => {
  const takeWorks = async (): Promise<void> => {
    for (let work = works.shift(); work !== undefined; work = works.shift())
      await work().catch((error: unknown) => noteFault(album, 'a visit', error));
  };
  await Promise.all(Array.from({ length: PAGES_AT_ONCE }, takeWorks));
};
await takeAll([
  ...VISITS.map((visit) => () => photographer.visit(visit)),
  () => photographer.signIns(),
  () => photographer.mails(),
]);
await photographer.visit(CHANGING);
await photographer.hang(api);
for (const fault of album.faults) console.log(`FAULT ${fault}`);
console.log(`${album.saved} pictures in ${folder}, ${Math.round((Date.now() - startedAtMs) / 1_000)} s`);
process.exitCode = album.faults.length === 0 ? 0 : 1;
