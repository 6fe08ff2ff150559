import { decimalMarkOf, parseDecimal } from '../../../src/values/decimal.ts';
import { fillLimitOf, fillToOf, productOf } from '../../../src/values/products.ts';
import { doubtVolume } from '../../../src/values/volume_doubt.ts';
import { button, icon, make, telOf, textField } from './dom.ts';
import type { StopReport } from './driver.ts';
import type { Formats } from './formats.ts';
import {
  navigationUrl,
  REASONS,
  type Reason,
  type Round,
  readLevel,
  readVolume,
  type ShownStop,
  type Stop,
} from './round.ts';
import type { DriverWords } from './words/en_driver.ts';

/** What the driver has typed and not recorded yet. */
export interface StopDraft {
  volume?: string;
  noteNumber?: string;
  filledTo?: string;
  /** The volume is implausible, and the driver is asked about it. */
  isDoubted?: boolean;
  isInvalid?: boolean;
  /** How often a volume was refused, so that the page draws the hint again. */
  tries?: number;
  /** Whether the reasons why a delivery is not possible are shown. */
  isNotPossible?: boolean;
  reason?: Reason;
  comment?: string;
}

interface PageContext {
  view: {
    draft: StopDraft;
    onReport: (stop: Stop, report: StopReport) => void;
    onChange: (change: { draft: StopDraft }) => void;
  };
  words: DriverWords;
  formats: Formats;
}

/** The name of the tank, with its number. */
export const nameOf = ({ tank, customId }: Stop): (HTMLElement | string)[] =>
  customId === null ? [tank] : [tank, ' ', make('span', { class: 'no' }, customId)];

const contentsOf = ({ product, fillLimit = null }: Stop) => ({
  product: productOf(product),
  fill_limit_percentage: fillLimitOf({ product: product ?? null, fill_limit_percentage: fillLimit }),
  has_own_limit: fillLimit !== null,
});

/** The stop where the driver is, or goes to. */
export function stopCard(
  round: Round,
  stop: ShownStop,
  stops: readonly ShownStop[],
  context: PageContext,
): HTMLElement {
  const { words, formats, view } = context;
  const position = words.next(formats.count(stops.indexOf(stop) + 1), formats.count(stops.length));
  const where = [position, stop.why === 'must' ? words.must : null];
  const { details } = stop;
  return make(
    'section',
    { class: 'stop-card', 'data-stop': String(stop.stop) },
    make('p', { class: 'meta' }, where.filter((part) => part !== null).join(' · ')),
    make('h1', {}, ...nameOf(stop)),
    ...(details === null ? [make('p', {}, words.noAddress)] : reach(details, words)),
    make(
      'p',
      { class: 'fill-line' },
      make(
        'span',
        {},
        words.fits(formats.percent(fillToOf(contentsOf(stop), round.fillTo))),
        make('br', {}),
        make('span', { class: 'meta' }, level(stop, context)),
      ),
      make('b', {}, stop.volume === null ? words.unknownVolume : formats.volume(stop.volume, round.unit)),
    ),
    ...whyChanged(round, stop, context),
    ...(view.draft.isNotPossible ? reasons(stop, context) : delivered({ ...round, stops }, stop, context)),
  );
}

/** Why the volume is not the planned one. */
function whyChanged(
  round: Round,
  { volume, plannedVolume, isFilled }: Stop,
  { words, formats }: PageContext,
): HTMLElement[] {
  if (isFilled) return [make('p', { class: 'changed' }, make('b', {}, words.fullNow), ' ', words.onlyIfOffice)];
  if (volume === null || typeof plannedVolume !== 'number') return [];
  const volumeText = (value: number): string => formats.volume(value, round.unit);
  const change = volume - plannedVolume;
  const sentence = change > 0 ? words.changedMore : words.changedLess;
  const text = sentence(volumeText(Math.abs(change)), volumeText(plannedVolume));
  return [make('p', { class: 'changed' }, text)];
}

/** The text of a level. A level from another day is shown with its date. */
function level({ fillPercentage, levelAt, isDip }: Stop, { words, formats }: PageContext): string {
  if (fillPercentage === null || levelAt === null) return '';
  const percent = formats.percent(fillPercentage);
  if (isDip) return words.dipOn(percent, formats.date(levelAt));
  const isToday = formats.date(levelAt) === formats.date(new Date().toISOString());
  return isToday ? words.levelAt(percent, formats.time(levelAt)) : words.levelOn(percent, formats.date(levelAt));
}

function reach(details: NonNullable<Stop['details']>, words: DriverWords): HTMLElement[] {
  const url = navigationUrl(details, /iPhone|iPad|Macintosh/.test(navigator.userAgent));
  const [first, ...others] = details.phones;
  return [
    make('p', {}, details.customer),
    make('p', {}, details.address),
    make(
      'div',
      { class: 'stop-two' },
      url !== null && make('a', { class: 'button primary', href: url }, icon('navigate'), words.navigate),
      first !== undefined && make('a', { class: 'button', href: telOf(first.number) }, icon('phone'), words.call),
    ),
    ...(first?.whose ? [make('p', {}, `${first.whose}: ${first.number}`)] : []),
    ...others.map(({ number, whose }) =>
      make('a', { class: 'button', href: telOf(number) }, icon('phone'), [whose, number].filter(Boolean).join(': ')),
    ),
    ...details.notes.map((note) => make('p', { class: 'tank-note' }, icon('note'), make('span', {}, note))),
  ];
}

function delivered(round: Round, stop: ShownStop, context: PageContext): HTMLElement[] {
  const { view, words, formats } = context;
  const { draft } = view;
  const usual = decimalMarkOf(formats.tag);
  const typed = readVolume(draft.volume ?? '', usual);
  if (draft.isDoubted && typeof typed === 'number') return [question(round, stop, typed, context)];
  const volumeField = textField(
    words.deliveredBy[round.unit],
    {
      id: 'volume',
      inputmode: 'decimal',
      value: draft.volume ?? '',
      'aria-describedby': 'volume-hint',
      'aria-invalid': draft.isInvalid ? 'true' : null,
    },
    (text) => (draft.volume = text),
  );
  const numberField = textField(
    words.noteNumber,
    { id: 'note-number', maxlength: '60', value: draft.noteNumber ?? '' },
    (text) => (draft.noteNumber = text),
  );
  const levelField = textField(
    words.filledTo,
    { id: 'filled-to', inputmode: 'decimal', value: draft.filledTo ?? '' },
    (text) => (draft.filledTo = text),
  );
  const form = make(
    'form',
    { class: 'delivered', novalidate: '' },
    volumeField,
    numberField,
    stop.isDip && levelField,
    make('button', { id: 'done', type: 'submit', class: 'button primary' }, icon('done'), words.done),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const volume = readVolume(draft.volume ?? '', usual);
    const isInvalid = typeof volume !== 'number';
    if (isInvalid || doubtOf(round, stop, volume) !== null)
      return view.onChange({ draft: { ...draft, isInvalid, isDoubted: !isInvalid, tries: (draft.tries ?? 0) + 1 } });
    reportDelivered(stop, volume, context);
  });
  return [
    form,
    make('p', { id: 'volume-hint', class: 'hint', role: 'alert' }, hintOf(context, typed)),
    button(
      'not-possible',
      'button wide-button',
      () => view.onChange({ draft: { ...draft, isInvalid: false, isNotPossible: true } }),
      words.notPossible,
    ),
  ];
}

/** The sentence about a volume that cannot be read. Empty if the driver has not tried to record it. */
function hintOf({ view: { draft }, words, formats }: PageContext, typed: ReturnType<typeof readVolume>): string {
  if (!draft.isInvalid) return '';
  const text = draft.volume ?? '';
  return typed === 'ambiguous' ? words.ambiguous(text, ...meaningsOf(text, formats)) : words.enterVolume;
}

function reportDelivered(stop: Stop, volume: number, { view: { draft, onReport } }: PageContext): void {
  onReport(stop, {
    kind: 'delivered',
    volume,
    noteNumber: (draft.noteNumber ?? '').trim() || null,
    filledTo: readLevel(draft.filledTo ?? ''),
  });
}

/** The two meanings of an ambiguous volume, such as 1,234 and 1.23. */
function meaningsOf(text: string, { tag }: Formats): [string, string] {
  const format = new Intl.NumberFormat(tag, { maximumFractionDigits: 2 });
  const meaning = (mark: 'comma' | 'point'): string => format.format(Number(parseDecimal(text, mark)));
  return [meaning('comma'), meaning('point')];
}

function doubtOf(round: Round, stop: Stop, volume: number) {
  const unloaded = round.stops.reduce((sum, one) => sum + (one.delivered ?? 0), 0);
  return doubtVolume(volume, {
    fits: stop.volume,
    truckLeft: round.capacity === null ? null : Math.max(0, round.capacity - unloaded),
  });
}

/** Asks about an implausible volume. The volume is never refused, because the meter may be right. */
function question(round: Round, stop: ShownStop, volume: number, context: PageContext): HTMLElement {
  const { view, words, formats } = context;
  const doubt = doubtOf(round, stop, volume);
  const typed = formats.volume(volume, round.unit);
  const known = doubt === null ? '' : formats.volume(doubt.volume, round.unit);
  const text = doubt?.against === 'truck' ? words.question.truck(typed, known) : words.question.fits(typed, known);
  const change = (): void => {
    view.onChange({ draft: { ...view.draft, isDoubted: false } });
    document.getElementById('volume')?.focus();
  };
  return make(
    'div',
    { class: 'volume-question' },
    make('p', { role: 'alert' }, make('b', {}, text)),
    button('change-volume', 'button primary', change, words.question.change),
    button('confirm-volume', 'button', () => reportDelivered(stop, volume, context), words.question.yes(typed)),
  );
}

function reasons(stop: ShownStop, { view, words }: PageContext): HTMLElement[] {
  const { draft } = view;
  const { isNotPossible: _isNotPossible, reason: _reason, ...typed } = draft;
  const record = (reason: Reason, comment: string | null): void =>
    view.onReport(stop, { kind: 'not_possible', reason, comment });
  const buttons = REASONS.map((reason) =>
    button(
      `reason-${reason}`,
      'button wide-button',
      () => (reason === 'other' ? view.onChange({ draft: { ...draft, reason } }) : record(reason, null)),
      words.reasons[reason],
    ),
  );
  const form = make(
    'form',
    { class: 'delivered' },
    textField(
      words.comment,
      { id: 'comment', autocomplete: null, maxlength: '500', value: draft.comment ?? '' },
      (text) => (draft.comment = text),
    ),
    make('button', { id: 'record', type: 'submit', class: 'button primary' }, words.record),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    record('other', (draft.comment ?? '').trim() || null);
  });
  return [
    make('h2', {}, words.why),
    ...(draft.reason === 'other' ? [form] : buttons),
    button('back', 'button wide-button', () => view.onChange({ draft: typed }), words.back),
  ];
}
