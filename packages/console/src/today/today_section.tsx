import type { TankStatus } from '@tankwatch/client';
import { useState } from 'react';
import { Link } from 'wouter';
import { useNow } from '../clock.ts';
import { MINUTE_MS } from '../format.ts';
import { lazyComponent } from '../parts/lazy_component.tsx';
import { StatusMark } from '../parts/marks.tsx';
import { ProblemNotice } from '../parts/problem.tsx';
import { numeric, Table } from '../parts/table.tsx';
import { NameCells, PhoneCell, RoomCells, rowClass, Texts } from '../parts/tank_cells.tsx';
import { useIsPhone } from '../parts/use_phone.ts';
import { ProductWords, usePreferences } from '../preferences_and_words.tsx';
import { BEFORE_HANDLED, SECTION_MARKS, type SectionName, sectionHref } from '../sections.ts';
import { useCan } from '../session.ts';
import { limitsOf, nameOf } from '../status.ts';
import { dueTexts, joined, lossTexts, type TimeTexts } from '../time_texts.ts';
import { plannedText } from './planned_text.ts';
import type { TodaySection } from './use_today.ts';

/** Loaded only for viewers who may acknowledge conditions. */
const HandleCell = lazyComponent(async () => (await import('./row_handle.tsx')).HandleCell);
const HandleRow = lazyComponent(async () => (await import('./row_handle.tsx')).HandleRow);
const COLUMNS = 9;

/** A row that was added while the page was open is marked as new for this time. */
const NEW_MS = 10 * MINUTE_MS;

/** Sections that are folded to one line on a phone until somebody opens them. */
const FOLDED: ReadonlySet<SectionName> = new Set(['handled', 'due', 'refilled']);

/** The names of the first tanks of a folded section. */
function foldedText(rows: TodaySection['rows']): string {
  const names = rows.slice(0, 2).map(({ status }) => nameOf(status.tank));
  return rows.length > 2 ? `${names.join(', ')} …` : names.join(', ');
}

/** One section of the page Today. A section without tanks is hidden, unless it could not be read. */
export function SectionTable({ name, rows, count, error, retry }: TodaySection) {
  const { words, format, fillTo } = usePreferences();
  const nowMs = useNow();
  const { columns } = words.fleet;
  const texts = words.today;
  /** Whether tables have the column of actions. All of them have it, so that they align. */
  const canAct = useCan('alerts');
  const canPlan = useCan('deliveries');
  const canHandle = canAct && BEFORE_HANDLED.includes(name);
  const [openId, setOpenId] = useState<string | null>(null);
  const isPhone = useIsPhone();
  const [isUnfolded, setUnfolded] = useState(false);
  if (rows.length === 0 && error === null) return null;
  const mark = SECTION_MARKS[name];
  const whyHeading = texts.columns[name];
  const note = name === 'gauge' || name === 'silent_low' ? texts.notes[name] : '';
  const title = (
    <>
      <StatusMark status={mark} /> {texts.sections[name]}{' '}
      <span className="count">{count === null ? words.values.unknown : format.count(count)}</span>
    </>
  );
  if (isPhone && !isUnfolded && error === null && FOLDED.has(name))
    return (
      <section className="part fold" id={name} aria-labelledby={`${name}-title`}>
        <h2 className={`section-title ${mark}`} id={`${name}-title`}>
          <button type="button" aria-expanded={false} onClick={() => setUnfolded(true)}>
            {title}
          </button>
        </h2>
        <span className="meta">{foldedText(rows)}</span>
      </section>
    );
  return (
    <section className="part" id={name} aria-labelledby={`${name}-title`}>
      <div className="section-head">
        <h2 className={`section-title ${mark}`} id={`${name}-title`}>
          {title}
        </h2>
        {note !== '' && <span className="meta">{note}</span>}
        {name === 'due' && canPlan && (
          <Link className="button small" href="/round">
            {texts.plan}
          </Link>
        )}
      </div>
      {error !== null && <ProblemNotice error={error} title={texts.failed(texts.sections[name])} onRetry={retry} />}
      {rows.length > 0 && (
        <Table
          className="rows day"
          columns={[
            { text: texts.columns.tank, className: 'c-tank' },
            { text: columns.level, className: 'c-level' },
            numeric(columns.left, 'c-left'),
            numeric(columns.empty, 'c-empty'),
            { text: whyHeading, className: 'c-why' },
            numeric(
              columns.room(
                limitsOf(
                  rows.map(({ status }) => status),
                  fillTo,
                  format,
                ),
              ),
              'c-room',
            ),
            { text: columns.read, className: 'c-read' },
            { text: words.customers.phone, className: 'c-phone' },
            canAct && { text: null, className: 'c-act no-print' },
          ]}
        >
          {rows.map(({ status, newAtMs }) => {
            const isNew = newAtMs !== null && nowMs - newAtMs < NEW_MS;
            const { id } = status.tank;
            const isOpen = canHandle && openId === id;
            return (
              <ProductWords key={id} product={status.product}>
                <tr data-tank={id} className={rowClass(status, isNew)}>
                  <NameCells status={status} nowMs={nowMs} knownStatus={mark} place={status.tank.location.city}>
                    {isNew && <span className="new-mark">{texts.new(format.time(newAtMs))}</span>}
                  </NameCells>
                  <WhyCell name={name} label={whyHeading} status={status} nowMs={nowMs} />
                  <RoomCells status={status} nowMs={nowMs} />
                  <PhoneCell phone={status.owner.phone} />
                  {canAct && !canHandle && <td className="c-act no-print" />}
                  {canHandle && (
                    <td className="c-act no-print">
                      <HandleCell status={status} isOpen={isOpen} onToggle={() => setOpenId(isOpen ? null : id)} />
                    </td>
                  )}
                </tr>
                {isOpen && <HandleRow status={status} columns={COLUMNS} onDone={() => setOpenId(null)} />}
              </ProductWords>
            );
          })}
        </Table>
      )}
      {count !== null && count > rows.length && (
        <p className="part-foot">
          <Link href={sectionHref(name)}>{texts.all(format.count(count))}</Link>
        </p>
      )}
    </section>
  );
}

interface WhyProps {
  name: SectionName;
  /** The heading of the column, which a phone does not have. */
  label: string;
  status: TankStatus;
  nowMs: number;
}

/** Why the tank is in this section. */
function WhyCell({ name, label, status, nowMs }: WhyProps) {
  const { words, format } = usePreferences();
  const { values, today } = words;
  const planned = plannedText(status, nowMs, words, format);
  const texts = (): TimeTexts => {
    switch (name) {
      case 'losing':
        return lossTexts(status, words, format);
      case 'low': {
        const { low_since: since } = status;
        if (since === null) return { main: values.none, detail: planned, isUrgent: false };
        const main = values.lowFor(format.longDuration(nowMs - Date.parse(since)));
        return { main, detail: planned || today.lowSince(format.recent(since, nowMs)), isUrgent: false };
      }
      case 'unusual_use': {
        const { volume, unusual_use_at: at } = status;
        const main =
          volume.use_per_day === null ? values.none : values.perDay(format.volume(volume.use_per_day, volume.unit));
        return { main, detail: at === null ? '' : today.lowSince(format.recent(at, nowMs)), isUrgent: false };
      }
      case 'gauge': {
        const { reading, gauge_unreliable_since: since } = status;
        const main = reading === null ? values.none : format.percent(reading.fill_percentage);
        return { main, detail: since === null ? '' : today.gaugeSince(format.dateTime(since)), isUrgent: true };
      }
      case 'handled': {
        const [first] = status.handled;
        const until = first?.until ?? status.muted_until;
        if (until === null) return { main: values.none, detail: '', isUrgent: false };
        const at = format.recent(until, nowMs);
        const main = first === undefined ? today.mutedUntil(at) : today.handledUntil(first.name ?? today.program, at);
        const why = first === undefined ? joined(status.muted?.name ?? '', status.muted?.reason ?? '') : first.comment;
        return { main, detail: why ?? '', isUrgent: false, isSentence: true };
      }
      case 'refilled': {
        const { refilled, volume } = status;
        if (refilled === null) return { main: values.none, detail: '', isUrgent: false };
        const main = values.about(format.volume(refilled.delivered_volume, volume.unit));
        return { main, detail: format.dateTime(refilled.at), isUrgent: false };
      }
      case 'silent_low':
      case 'due': {
        const due = dueTexts(status, nowMs, words, format);
        return { ...due, detail: joined(due.detail, planned) };
      }
      default:
        return name satisfies never;
    }
  };
  const shown = texts();
  return (
    <td className="c-why" data-label={shown.isSentence ? undefined : label}>
      <Texts {...shown} />
    </td>
  );
}
