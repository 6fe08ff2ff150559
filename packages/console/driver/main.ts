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
  chosenStop: null,
  showsAll: false,
  worksOffline: false,
  draft: {},
  onReport(stop, report) {
    view.draft = {};
    view.chosenStop = null;
    void driver?.report(stop, report).then(() => window.scrollTo({ top: 0 }));
  },
  onChange(change) {
    if (change.language !== undefined) chooseLanguage(change.language);
    Object.assign(view, change);
    draw();
    if (change.chosenStop !== undefined) window.scrollTo({ top: 0 });
  },
  onBlockRead: (stop) => void driver?.markBlockRead(stop),
  onSend: () => void driver?.sync(),
};

let driver: Driver | undefined;
/** The state with which the page was last drawn, as JSON. */
let drawnState = '';
let shownStop: number | undefined;

/** Draws the page if more than a typed text has changed, because drawing replaces the field in which the driver types. */
function draw(): void {
  if (driver === undefined) return;
  const { state } = driver;
  updateDraft(state);
  const { language, chosenStop, showsAll, worksOffline, draft } = view;
  const { volume: _volume, comment: _comment, noteNumber: _noteNumber, filledTo: _filledTo, ...otherDraft } = draft;
  const newState = JSON.stringify([state, language, chosenStop, showsAll, worksOffline, otherDraft]);
  if (newState === drawnState) return;
  drawnState = newState;
  document.documentElement.lang = language;
  document.title = [state.round?.truck, DRIVER_WORDS[language].title].filter(Boolean).join(' · ');
  show(app, ...renderDriver(state, view));
}

/** Stays at the stop at which the driver types something, even if its tank is full now. Empties the draft for another stop. */
function updateDraft({ round, entries }: Driver['state']): void {
  const { volume = '', noteNumber = '', isNotPossible = false } = view.draft;
  if (shownStop !== undefined && (volume !== '' || noteNumber !== '' || isNotPossible)) view.chosenStop ??= shownStop;
  const next = round === null ? undefined : nextStop(stopsAfter(round, entries), view.chosenStop)?.stop;
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
  const newDriver = new Driver(store, draw);
  driver = newDriver;
  const open = async (): Promise<void> => {
    await newDriver.open(readLink(location.hash));
    draw();
    await newDriver.sync();
  };
  const sync = (): void => {
    if (document.visibilityState === 'visible') void newDriver.sync();
  };
  // Background Sync is not used, because Safari and Firefox do not have it.
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
  view.worksOffline = true;
  draw();
  await navigator.storage?.persist?.(); // browsers that grant this keep the data when space is short
}

void start();
