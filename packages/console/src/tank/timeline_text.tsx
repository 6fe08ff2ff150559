import type { TankStatus, Timeline } from '@tankwatch/client';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { EventName, Retractable, reasonOf } from '../events/event_text.tsx';
import { sentence } from '../format.ts';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { TANK_FORM_TEXTS } from '../translations/tank_forms.ts';
import { TIMELINE_TEXTS } from '../translations/timeline.ts';

type Entry = Timeline['entries'][number];
type Of<Kind extends Entry['kind']> = NonNullable<Entry[Kind]>;

/** An entry as a sentence. */
export function TimelineText({ entry, tank }: { entry: Entry; tank: TankStatus['tank'] }) {
  const { level, event, mail, text, act, delivery, note } = entry;
  if (level !== null) return <LevelText level={level} tank={tank} />;
  if (event !== null) return <EventText event={event} />;
  if (mail !== null) return <MailText mail={mail} />;
  if (text !== null) return <SentText text={text} />;
  if (act !== null) return <ActText act={act} nowMs={Date.parse(entry.at)} />;
  if (delivery !== null) return <DeliveryText delivery={delivery} />;
  return note === null ? null : <NoteText note={note} />;
}

function LevelText({ level, tank }: { level: Of<'level'>; tank: TankStatus['tank'] }) {
  const { format } = usePreferences();
  const texts = useTexts(TIMELINE_TEXTS);
  const { fill_percentage: fill, milestone, lowest_since: since } = level;
  const volume = format.volume((fill / 100) * tank.capacity, tank.capacity_unit);
  return (
    <>
      <b>
        {format.exactPercent(fill)}, {volume}.
      </b>{' '}
      {milestone === 'before_refill'
        ? texts.beforeRefill
        : since === null
          ? texts.latest
          : texts.lowestSince(format.dateWithYear(since))}
    </>
  );
}

function EventText({ event }: { event: Of<'event'> }) {
  const { words, format } = usePreferences();
  const { readings } = event;
  return (
    <>
      <Retractable event={event}>
        <EventName type={event.type} isRecovery={event.ends_alert} hasMark={false} /> {reasonOf(event, words, format)}
      </Retractable>
      {readings.length > 0 && (
        <details>
          <summary className="meta">{words.tank.readings(readings.length, format.count(readings.length))}</summary>
          <ul className="meta">
            {readings.map(({ created_at, fill_percentage }) => (
              <li key={created_at}>
                {words.chart.at(format.fullTime(created_at), format.exactPercent(fill_percentage))}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function MailText({ mail }: { mail: Of<'mail'> }) {
  const { words, format } = usePreferences();
  const texts = useTexts(TIMELINE_TEXTS);
  const list = (names: readonly string[]): string => new Intl.ListFormat(format.locale).format(names);
  const nameOf = ({ name }: Of<'mail'>['to'][number]): string => name ?? texts.toFormer;
  const [first] = mail.to;
  const failed = mail.to.filter(({ failed_because }) => failed_because !== null);
  const isOwner = first?.is_owner ?? false;
  return (
    <>
      <b>{texts.mails[mail.kind]}</b>{' '}
      {isOwner
        ? texts.toOwner(nameOf(first ?? { name: null, is_owner: true, failed_because: null }))
        : texts.to(list(mail.to.map(nameOf)))}
      : {words.events[mail.event_type]}.{' '}
      {failed.length === 0 ? (
        <span className="meta">{mail.to.length > 1 ? texts.acceptedForAll : texts.accepted}</span>
      ) : (
        <b>
          {texts.notDelivered(
            list(failed.map((one) => `${nameOf(one)} (${texts.failedBecause[one.failed_because ?? 'rejected']})`)),
          )}
        </b>
      )}
    </>
  );
}

function SentText({ text: { to, event_type: type, is_false_alarm: isFalseAlarm } }: { text: Of<'text'> }) {
  const { words, format } = usePreferences();
  const texts = useTexts(TIMELINE_TEXTS);
  const namesOf = (some: Of<'text'>['to']): string =>
    new Intl.ListFormat(format.locale).format(some.map(({ name }) => name ?? texts.toFormer));
  const states = [...new Set(to.map(({ status }) => status))];
  const stateOf = (state: (typeof states)[number]): string =>
    states.length === 1
      ? texts.textStates[state]
      : `${texts.textStates[state]}: ${namesOf(to.filter(({ status }) => status === state))}`;
  return (
    <>
      <b>{isFalseAlarm ? texts.falseAlarm : texts.texted}</b> {texts.to(namesOf(to))}: {words.events[type]}.{' '}
      {states.includes('failed') && <b>{stateOf('failed')}</b>}{' '}
      <span className="meta">
        {states
          .filter((state) => state !== 'failed')
          .map(stateOf)
          .join('; ')}
      </span>
    </>
  );
}

/** A sentence that begins with the name of the person in bold. Programs and people who were removed have no name. */
function By({ name, children }: { name: string | null; children: ReactNode }) {
  const { words } = usePreferences();
  return (
    <>
      <b>{name ?? sentence(words.today.program)}</b> {children}
    </>
  );
}

const QuotedComment = ({ comment }: { comment: string | null }) => (comment === null ? null : <q>{comment}</q>);
/** Ends a sentence: with the comment, or with a full stop. */
const SentenceEnd = ({ comment }: { comment: string | null }) => (comment === null ? '.' : <>: “{comment}”</>);

function ActText({ act, nowMs }: { act: Of<'act'>; nowMs: number }) {
  const { format } = usePreferences();
  const texts = useTexts(TIMELINE_TEXTS);
  const { conditions } = useTexts(TANK_FORM_TEXTS).handle;
  const { name, comment, because } = act;
  const condition = act.condition === null ? '' : conditions[act.condition];
  const until = act.until === null ? '' : format.recent(act.until, nowMs);
  switch (act.type) {
    case 'handling_began':
      return (
        <By name={name}>
          {texts.handles(condition, until)}
          <SentenceEnd comment={comment} />
        </By>
      );
    case 'handling_ended':
      return (
        <>
          <b>{texts.handlingEnded(condition)}.</b> {texts.handlingBecause[because ?? '']}
        </>
      );
    case 'mute_began':
      return (
        <By name={name}>
          {texts.muted(until)}
          <SentenceEnd comment={comment} />
        </By>
      );
    case 'mute_ended':
      return (
        <>
          <b>{texts.unmuted}.</b> {texts.muteBecause[because ?? '']}
        </>
      );
    case 'device_assigned': {
      const id = act.device_id ?? '';
      return (
        <>
          {name === null ? <b>{texts.deviceAlone(id)}.</b> : <By name={name}>{texts.device(id)}.</By>}{' '}
          {act.former_device_id !== null && <span className="meta">{texts.before(act.former_device_id)}</span>}
        </>
      );
    }
    case 'threshold_changed': {
      const [from, to] = [format.percent(act.from_percentage ?? 0), format.percent(act.to_percentage ?? 0)];
      return name === null ? (
        <b>{texts.thresholdAlone(from, to)}.</b>
      ) : (
        <By name={name}>{texts.threshold(from, to)}.</By>
      );
    }
    case 'stop_delivered':
      return (
        <>
          <b>{name ?? texts.stopDeliveredAlone}</b> {name !== null && texts.stopDelivered}{' '}
          <b>{act.volume === null || act.unit === null ? '' : format.volume(act.volume, act.unit)}</b>.{' '}
          <span className="meta">{texts.noNote}</span> <QuotedComment comment={comment} /> <RoundLink act={act} />
        </>
      );
    case 'stop_not_possible':
      return (
        <>
          <b>{texts.stopNotPossible}</b>
          {`: ${[texts.stopBecause[because ?? 'other'] ?? '', name].filter(Boolean).join(', ')}. `}
          <QuotedComment comment={comment} /> <RoundLink act={act} />
        </>
      );
    default:
      return act.type satisfies never;
  }
}

function RoundLink({ act: { round_date: date, truck_id: truck } }: { act: Of<'act'> }) {
  const texts = useTexts(TIMELINE_TEXTS);
  return <Link href={`/round?date=${date ?? ''}&truck=${truck ?? ''}`}>{texts.openRound}</Link>;
}

function DeliveryText({ delivery }: { delivery: Of<'delivery'> }) {
  const { format } = usePreferences();
  const texts = useTexts(TIMELINE_TEXTS);
  const { notes, driver, truck, verdict, gauge_volume: gauge, unit } = delivery;
  const who = driver ?? truck;
  const delivered = (
    <>
      <b>{who ?? texts.stopDeliveredAlone}</b> {who !== null && texts.stopDelivered}{' '}
      {notes.map(({ id, series, number, volume, unit: noteUnit }, at) => (
        <span key={id}>
          {at > 0 && ', '}
          <b>{format.volume(volume, noteUnit)}</b>, {texts.deliveryNote([series, number].filter(Boolean).join(' '))}
        </span>
      ))}
      .
    </>
  );
  if (delivery.is_cancelled)
    return (
      <>
        <s>{delivered}</s> <span className="meta">{texts.withdrawn}</span>
      </>
    );
  return (
    <>
      {delivered}{' '}
      {verdict !== null && (
        <span className={verdict === 'not_consistent' || verdict === 'note_without_refill' ? 'strong' : 'meta'}>
          {verdict === 'consistent' && '✓ '}
          {texts.verdicts[verdict]}
          {gauge !== null && `, ${texts.byGauge(format.volume(gauge, unit))}`}
        </span>
      )}{' '}
      <QuotedComment comment={delivery.comment} />
    </>
  );
}

function NoteText({ note }: { note: Of<'note'> }) {
  const texts = useTexts(TIMELINE_TEXTS);
  return (
    <By name={note.name}>
      {texts.note(note.text)} {note.prints && <span className="meta">{texts.printed}</span>}
    </By>
  );
}
