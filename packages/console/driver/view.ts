import { PRODUCTS, productOf } from '../../../src/values/products.ts';
import { button, icon, make, telOf } from './dom.ts';
import type { DriverState, StopReport } from './driver.ts';
import { DRIVER_WORDS, type Formats, formatsOf, type Language } from './formats.ts';
import { blockOf, nextStop, type Round, type ShownStop, type Stop, stopsAfter } from './round.ts';
import { nameOf, type StopDraft, stopCard } from './stop_card.ts';
import type { DriverWords } from './words/en_driver.ts';

/** The number of stops after the next one that are listed at first. */
const LISTED_STOPS = 3;

/** What the driver can do on the page, and the state that only the page has. */
export interface View {
  language: Language;
  /** The stop that the driver chose instead of the next one. */
  chosenStop: number | null;
  /** Whether all open stops are listed, not only the next ones. */
  showsAll: boolean;
  /** Whether the phone has kept the files of the page. */
  worksOffline: boolean;
  draft: StopDraft;
  onReport: (stop: Stop, report: StopReport) => void;
  onBlockRead: (stop: Stop) => void;
  onChange: (change: Partial<Pick<View, 'language' | 'chosenStop' | 'showsAll' | 'draft'>>) => void;
  onSend: () => void;
}

interface PageContext {
  view: View;
  words: DriverWords;
  formats: Formats;
}

/** The page as elements. Everything that people wrote becomes text, never markup. */
export function renderDriver(state: DriverState, view: View): HTMLElement[] {
  const words = DRIVER_WORDS[view.language];
  const formats = formatsOf(view.language, state.round);
  const context = { view, words, formats };
  const { round } = state;
  if (round === null)
    return [...notices(state, context), make('main', { class: 'driver' }, ...emptyPage(state, context))];
  const stops = stopsAfter(round, state.entries);
  return [
    header(round, context),
    ...notices(state, context),
    make('main', { class: 'driver' }, ...roundPage(round, stops, state, context)),
  ];
}

function header(round: Round, { words, formats }: PageContext): HTMLElement {
  const names = [round.truck, round.driver].filter((name) => name !== null).join(' · ');
  return make(
    'header',
    { class: 'driver-top' },
    make(
      'div',
      {},
      make('b', {}, names),
      make('br', {}),
      make('span', { class: 'meta' }, `${formats.day(round.date)} · ${round.organization}`),
    ),
    officeCall(round, 'button', words, words.office),
  );
}

/** Unsent entries are shown above everything else. */
function notices({ entries, isOnline }: DriverState, { view, words, formats }: PageContext): HTMLElement[] {
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

function emptyPage({ link, entries }: DriverState, { words, view }: PageContext): HTMLElement[] {
  const text = {
    loading: [words.loading],
    none: [words.noLink],
    ended: [words.ended, entries.length > 0 ? words.endedUnsent : words.endedAdvice],
    valid: [],
  }[link];
  return [...text.map((line, index) => make(index === 0 ? 'h1' : 'p', {}, line)), languageButton(view, words)];
}

const languageButton = (view: View, words: DriverWords): HTMLElement =>
  button('language', 'link', () => view.onChange({ language: view.language === 'en' ? 'es' : 'en' }), words.other);

function roundPage(round: Round, stops: readonly ShownStop[], state: DriverState, context: PageContext): HTMLElement[] {
  const { view, words, formats } = context;
  const next = nextStop(stops, view.chosenStop);
  const closed = stops.filter(({ state: one }) => one !== 'open');
  const open = stops.filter((stop) => stop.state === 'open' && stop !== next);
  // A blocked stop is always listed.
  const listed = view.showsAll ? open : open.filter((stop, index) => index < LISTED_STOPS || blockOf(stop) !== null);
  const blocked = stops.filter((stop) => blockOf(stop) !== null);
  const bars = stops.map((stop) => make('i', { class: barOf(stop, next) }));
  const label = words.progress(formats.count(closed.length), formats.count(stops.length));
  const unread = blocked.filter((stop) => !blockOf(stop)?.isRead);
  const parts: HTMLElement[] = unread.map((stop) => blockCard(round, stop, stops.indexOf(stop) + 1, context));
  parts.push(make('div', { class: 'driver-progress', role: 'img', 'aria-label': label }, ...bars));
  if (next === undefined) parts.push(allDone(state, blocked.length, words));
  else parts.push(stopCard(round, next, stops, context));
  if (open.length > 0) {
    parts.push(make('h2', {}, words.later));
    parts.push(make('ol', { class: 'driver-list' }, ...listed.map((stop) => openRow(round, stop, stops, context))));
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
      make('ol', { class: 'driver-list' }, ...closed.toReversed().map((stop) => closedRow(round, stop, context))),
    );
  }
  return [...parts, ...foot(round, context)];
}

function barOf(stop: ShownStop, next: ShownStop | undefined): string {
  if (stop.state !== 'open') return 'done';
  if (blockOf(stop) !== null) return 'blocked';
  return stop === next ? 'now' : '';
}

/** The card of a blocked stop, without address, volume and delivery buttons. It is first until the driver has read it. */
function blockCard(
  round: Round,
  stop: ShownStop,
  position: number,
  { view, words, formats }: PageContext,
): HTMLElement {
  const since = blockOf(stop)?.since;
  return make(
    'section',
    { class: 'block-card', role: 'alert', 'data-stop': String(stop.stop) },
    make(
      'p',
      { class: 'block-line' },
      icon('stop'),
      words.blockedSince(formats.count(position), since ? formats.time(since) : ''),
    ),
    make('h1', {}, words.doNotDeliver),
    make('p', {}, make('b', {}, ...nameOf(stop)), `${stop.city === null ? '' : `, ${stop.city}`}. ${words.leaks}`),
    make('p', {}, words.blockAdvice[PRODUCTS[productOf(stop.product)].hazard]),
    officeCall(round, 'button danger wide-button', words),
    button(`read-${stop.stop}`, 'button wide-button', () => view.onBlockRead(stop), words.haveRead),
  );
}

/** The button that calls the office. False if the number of the office is not known. */
function officeCall(
  { organizationPhone: phone }: Round,
  className: string,
  words: DriverWords,
  text = words.callOffice,
): HTMLElement | false {
  if (phone === null) return false;
  const label = text === words.callOffice ? null : words.callOffice;
  return make('a', { class: className, href: telOf(phone), 'aria-label': label }, icon('phone'), text !== '' && text);
}

function blockedRow(round: Round, stop: ShownStop, position: number, { words, formats }: PageContext): HTMLElement {
  return make(
    'li',
    { class: 'blocked', 'data-stop': String(stop.stop) },
    make('span', { class: 'stop-no' }, formats.count(position)),
    make('span', {}, ...nameOf(stop), make('br', {}), make('b', {}, words.doNotDeliver)),
    make('span', { class: 'right' }, officeCall(round, 'button danger', words, '')),
  );
}

function allDone({ entries }: DriverState, blocked: number, words: DriverWords): HTMLElement {
  return make(
    'section',
    { class: 'stop-card' },
    make('h1', {}, blocked > 0 ? words.othersDone : words.allDone),
    entries.length > 0 && make('p', {}, words.allDoneUnsent),
  );
}

function openRow(
  round: Round,
  stop: ShownStop,
  stops: readonly ShownStop[],
  { view, words, formats }: PageContext,
): HTMLElement {
  if (blockOf(stop) !== null) return blockedRow(round, stop, stops.indexOf(stop) + 1, { view, words, formats });
  const place = [stop.city, stop.why === 'must' ? words.must : null].filter((part) => part !== null).join(' · ');
  return make(
    'li',
    {},
    make('span', { class: stop.why === 'must' ? 'stop-no' : 'stop-no could' }, formats.count(stops.indexOf(stop) + 1)),
    make('span', {}, ...nameOf(stop), make('br', {}), make('span', { class: 'meta' }, place)),
    make(
      'span',
      { class: 'right' },
      volumeText(round, stop, { words, formats }),
      stop.isFilled && make('span', { class: 'meta' }, words.officeDecides),
      button(`go-${stop.stop}`, 'link', () => view.onChange({ chosenStop: stop.stop, draft: {} }), words.go),
    ),
  );
}

function volumeText(round: Round, stop: Stop, { words, formats }: Omit<PageContext, 'view'>): string {
  if (stop.isFilled) return words.full(stop.fillPercentage === null ? '' : formats.percent(stop.fillPercentage));
  return stop.volume === null ? '' : formats.volume(stop.volume, round.unit);
}

function closedRow(round: Round, stop: ShownStop, { view, words, formats }: PageContext): HTMLElement {
  const isDelivered = stop.state === 'delivered';
  return make(
    'li',
    { 'data-stop': String(stop.stop) },
    make('span', { class: 'stop-no' }, icon(isDelivered ? 'done' : 'failed')),
    make('span', {}, ...nameOf(stop), make('br', {}), make('span', { class: 'meta' }, stop.city ?? '')),
    make(
      'span',
      { class: 'right' },
      outcomeText(round, stop, { words, formats }),
      make('span', { class: 'meta' }, sourceText(stop, words)),
      stop.closedBy === 'driver' &&
        button(`undo-${stop.stop}`, 'link', () => view.onReport(stop, { kind: 'reopened' }), words.undo),
    ),
  );
}

function outcomeText(round: Round, stop: Stop, { words, formats }: Omit<PageContext, 'view'>): string {
  if (stop.state === 'delivered' && stop.delivered !== null) return formats.volume(stop.delivered, round.unit);
  if (stop.reason !== null) return words.reasons[stop.reason];
  return words.states[stop.state === 'open' ? 'not_done' : stop.state];
}

/** Who closed the stop, and whether the service has got the entry of the driver. */
function sourceText(stop: ShownStop, words: DriverWords): string {
  if (stop.isUnsent) return words.unsent;
  if (stop.closedBy === 'driver') return stop.isSeenByGauge ? `${words.sent}, ${words.seen}` : words.sent;
  return stop.closedBy === 'gauge' ? words.seen : words.byOffice;
}

function foot(round: Round, { view, words, formats }: PageContext): HTMLElement[] {
  return [
    make('p', { class: 'meta' }, view.worksOffline ? words.ready : words.notReady),
    make('p', { class: 'meta' }, words.until(formats.dayAndTime(round.readUntil))),
    make('p', { class: 'foot' }, languageButton(view, words)),
  ];
}
