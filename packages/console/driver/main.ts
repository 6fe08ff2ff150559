import './driver.css';
import { registerWorker } from '../worker/worker_url.ts';
import { show } from './dom.ts';
import { Driver } from './driver.ts';
import { chooseLanguage, DRIVER_WORDS, readLanguage } from './formats.ts';
import { readLink } from './link.ts';
import { nextStop, stopsAfter } from './round.ts';
import { Store } from './store.ts';
import { renderDriver, type View } from './view.ts';

/** A phone with network shows a blocked stop within 30 s, even if one request is lost. */
const SYNC_EVERY_MS = 10_000;

const parent = document.getElementById('app');
if (parent === null) throw new Error('the page has no element app');
const app = parent;

const view: View = {
  language: readLanguage(),
  chosen: null,
  showsAll: false,
  isReady: false,
  draft: {},
  onSay(stop, said) {
    view.draft = {};
    view.chosen = null;
    void driver?.say(stop, said).then(() => window.scrollTo({ top: 0 }));
  },
  onChange(change) {
    if (change.language !== undefined) chooseLanguage(change.language);
    Object.assign(view, change);
    draw();
    if (change.chosen !== undefined) window.scrollTo({ top: 0 });
  },
  onRead: (stop) => void driver?.read(stop),
  onSend: () => void driver?.sync(),
};

let driver: Driver | undefined;
let drawn = '';
let shownStop: number | undefined;

/** Draws the page if something besides typed texts has changed, so that the field of a driver who types stays. */
function draw(): void {
  if (driver === undefined) return;
  const { state } = driver;
  keepDraft(state);
  const { language, chosen, showsAll, isReady, draft } = view;
  const { volume: _typed, comment: _written, noteNumber: _numbered, filledTo: _seen, ...shape } = draft;
  const now = JSON.stringify([state, language, chosen, showsAll, isReady, shape]);
  if (now === drawn) return;
  drawn = now;
  document.documentElement.lang = language;
  document.title = [state.round?.truck, DRIVER_WORDS[language].title].filter(Boolean).join(' · ');
  show(app, ...renderDriver(state, view));
}

/** A driver who types stays at the stop, even if its tank is full by now. Another stop begins with an empty draft. */
function keepDraft({ round, entries }: Driver['state']): void {
  if (shownStop !== undefined && (view.draft.volume ?? '') !== '') view.chosen ??= shownStop;
  const next = round === null ? undefined : nextStop(stopsAfter(round, entries), view.chosen)?.stop;
  if (shownStop !== undefined && next !== shownStop) {
    view.draft = {};
    // The digits that a driver is typing must not go to the next stop.
    if (document.activeElement instanceof HTMLInputElement) document.activeElement.blur();
  }
  shownStop = next;
}

async function start(): Promise<void> {
  const store = await Store.open().catch(() => undefined);
  if (store === undefined) return app.replaceChildren(DRIVER_WORDS[view.language].noStorage);
  const opened = new Driver(store, draw);
  driver = opened;
  const open = async (): Promise<void> => {
    await opened.open(readLink(location.hash));
    draw();
    await opened.sync();
  };
  const sync = (): void => {
    if (document.visibilityState === 'visible') void opened.sync();
  };
  // Not Background Sync: Safari and Firefox do not have it.
  window.addEventListener('online', sync);
  document.addEventListener('visibilitychange', sync);
  window.addEventListener('hashchange', () => void open());
  setInterval(sync, SYNC_EVERY_MS);
  void keepPage();
  await open();
}

/** Keeps the files of the page on the phone. Browsers allow it with https only. */
async function keepPage(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  await registerWorker('/driver/sw.js', '/driver/');
  await navigator.serviceWorker.ready;
  view.isReady = true;
  draw();
  await navigator.storage?.persist?.(); // without a question; some browsers then do not delete the data
}

void start();
