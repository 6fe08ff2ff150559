import { button, icon, make } from './dom.ts';
import type { DriverState, Said } from './driver.ts';
import { DRIVER_WORDS, type Formats, formatsOf, type Language } from './formats.ts';
import { nextStop, type Round, type ShownStop, type Stop, stopsAfter } from './round.ts';
import { nameOf, type StopDraft, stopCard } from './stop_card.ts';
import type { DriverWords } from './words/en_driver.ts';

const SHOWN_NEXT = 3;

/** What the driver does on the page, and what only the page knows. */
export interface View {
  language: Language;
  chosen: number | null;
  showsAll: boolean;
  isReady: boolean;
  draft: StopDraft;
  onSay: (stop: Stop, said: Said) => void;
  onChange: (change: Partial<Pick<View, 'language' | 'chosen' | 'showsAll' | 'draft'>>) => void;
  onSend: () => void;
}

interface Shown {
  view: View;
  words: DriverWords;
  formats: Formats;
}

/** The page as elements. Everything that people wrote becomes text, never markup. */
export function renderDriver(state: DriverState, view: View): HTMLElement[] {
  const words = DRIVER_WORDS[view.language];
  const formats = formatsOf(view.language, state.round);
  const shown = { view, words, formats };
  const { round } = state;
  if (round === null) return [...notices(state, shown), make('main', { class: 'driver' }, ...emptyPage(state, shown))];
  const stops = stopsAfter(round, state.entries);
  return [
    header(round, shown),
    ...notices(state, shown),
    make('main', { class: 'driver' }, ...roundPage(round, stops, state, shown)),
  ];
}

function header(round: Round, { formats }: Shown): HTMLElement {
  const names = [round.truck, round.driver].filter((name) => name !== null).join(' · ');
  return make(
    'header',
    { class: 'driver-top' },
    make('b', {}, names),
    make('span', { class: 'meta' }, `${formats.day(round.date)} · ${round.organization}`),
  );
}

/** Unsent entries are shown above everything else. */
function notices({ entries, isOnline }: DriverState, { view, words, formats }: Shown): HTMLElement[] {
  const waiting = entries.filter(({ refused }) => refused === undefined).length;
  const refused = entries.length - waiting;
  const texts: HTMLElement[] = [];
  if (!isOnline)
    texts.push(
      make(
        'p',
        { class: 'offline-bar', role: 'status' },
        icon('offline'),
        make(
          'span',
          {},
          make('b', {}, words.noNetwork),
          ...(waiting > 0 ? [' ', words.kept(waiting, formats.count(waiting))] : []),
        ),
      ),
    );
  if (waiting > 0)
    texts.push(
      make(
        'p',
        { class: 'unsent-bar', role: 'status' },
        make('b', {}, words.notSent(formats.count(waiting))),
        button('send', 'button', view.onSend, words.sendNow),
      ),
    );
  if (refused > 0)
    texts.push(make('p', { class: 'refused-bar', role: 'alert' }, words.refused(refused, formats.count(refused))));
  return texts;
}

function emptyPage({ link, entries }: DriverState, { words, view }: Shown): HTMLElement[] {
  const text = {
    loading: [words.loading],
    none: [words.noLink],
    ended: [words.ended, entries.length > 0 ? words.endedUnsent : words.endedAdvice],
    valid: [],
  }[link];
  return [
    ...text.map((line, at) => make(at === 0 ? 'h1' : 'p', {}, line)),
    button('language', 'link', () => view.onChange({ language: view.language === 'en' ? 'es' : 'en' }), words.other),
  ];
}

function roundPage(round: Round, stops: readonly ShownStop[], state: DriverState, shown: Shown): HTMLElement[] {
  const { view, words, formats } = shown;
  const next = nextStop(stops, view.chosen);
  const closed = stops.filter(({ state: one }) => one !== 'open');
  const open = stops.filter((stop) => stop.state === 'open' && stop !== next);
  const listed = view.showsAll ? open : open.slice(0, SHOWN_NEXT);
  const bars = stops.map((stop) => make('i', { class: stop.state === 'open' ? (stop === next ? 'now' : '') : 'done' }));
  const label = words.progress(formats.count(closed.length), formats.count(stops.length));
  const parts: HTMLElement[] = [make('div', { class: 'driver-progress', role: 'img', 'aria-label': label }, ...bars)];
  if (next === undefined) parts.push(allDone(state, words));
  else parts.push(stopCard(round, next, stops.indexOf(next) + 1, stops.length, shown));
  if (open.length > 0) {
    parts.push(make('h2', {}, words.later));
    parts.push(make('ol', { class: 'driver-list' }, ...listed.map((stop) => openRow(round, stop, stops, shown))));
    if (listed.length < open.length)
      parts.push(
        button(
          'more',
          'link',
          () => view.onChange({ showsAll: true }),
          words.moreStops(formats.count(open.length - listed.length)),
        ),
      );
  }
  if (closed.length > 0) {
    parts.push(make('h2', {}, words.closed));
    parts.push(
      make('ol', { class: 'driver-list' }, ...closed.toReversed().map((stop) => closedRow(round, stop, shown))),
    );
  }
  return [...parts, ...foot(round, shown)];
}

function allDone({ entries }: DriverState, words: DriverWords): HTMLElement {
  return make(
    'section',
    { class: 'stop-card' },
    make('h1', {}, words.allDone),
    entries.length > 0 && make('p', {}, words.allDoneUnsent),
  );
}

function openRow(
  round: Round,
  stop: ShownStop,
  stops: readonly ShownStop[],
  { view, words, formats }: Shown,
): HTMLElement {
  const place = [stop.city, stop.why === 'must' ? words.must : null].filter((part) => part !== null).join(' · ');
  const volume = stop.volume === null ? '' : formats.volume(stop.volume, round.unit);
  return make(
    'li',
    {},
    make('span', { class: stop.why === 'must' ? 'stop-no' : 'stop-no could' }, formats.count(stops.indexOf(stop) + 1)),
    make('span', {}, ...nameOf(stop), make('br', {}), make('span', { class: 'meta' }, place)),
    make(
      'span',
      { class: 'right' },
      volume,
      button(`go-${stop.stop}`, 'link', () => view.onChange({ chosen: stop.stop, draft: {} }), words.go),
    ),
  );
}

function closedRow(round: Round, stop: ShownStop, { view, words, formats }: Shown): HTMLElement {
  const isDelivered = stop.state === 'delivered';
  const what =
    isDelivered && stop.delivered !== null
      ? formats.volume(stop.delivered, round.unit)
      : stop.reason === null
        ? words.states[stop.state === 'open' ? 'not_done' : stop.state]
        : words.reasons[stop.reason];
  const known = stop.isUnsent
    ? words.unsent
    : stop.closedBy === 'driver'
      ? [words.sent, ...(stop.isSeenByGauge ? [words.seen] : [])].join(', ')
      : stop.closedBy === 'gauge'
        ? words.seen
        : words.byOffice;
  return make(
    'li',
    { 'data-stop': String(stop.stop) },
    make('span', { class: 'stop-no' }, icon(isDelivered ? 'done' : 'failed')),
    make('span', {}, ...nameOf(stop), make('br', {}), make('span', { class: 'meta' }, stop.city ?? '')),
    make(
      'span',
      { class: 'right' },
      what,
      make('span', { class: 'meta' }, known),
      stop.closedBy === 'driver' &&
        button(`undo-${stop.stop}`, 'link', () => view.onSay(stop, { kind: 'reopened' }), words.undo),
    ),
  );
}

function foot(round: Round, { view, words, formats }: Shown): HTMLElement[] {
  return [
    make('p', { class: 'meta' }, view.isReady ? words.ready : words.notReady),
    make('p', { class: 'meta' }, words.until(formats.dayAndTime(round.readUntil))),
    make(
      'p',
      { class: 'foot' },
      round.organizationPhone !== null &&
        make(
          'a',
          { class: 'button', href: `tel:${round.organizationPhone.replaceAll(/[^\d+]/g, '')}` },
          icon('phone'),
          words.callOffice,
        ),
      button('language', 'link', () => view.onChange({ language: view.language === 'en' ? 'es' : 'en' }), words.other),
    ),
  ];
}
