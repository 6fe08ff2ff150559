import type { ContactReach, DutyPlan } from '@tankwatch/client';
import { type Format, sentence } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/marks.tsx';
import { useFormat, useTexts } from '../preferences_and_words.tsx';
import { DUTY_TEXTS } from '../translations/duty.ts';
import { exceptionAt, gapsOf, laterDay, type Part, rowsOf, shiftAt } from './duty_parts.ts';

interface DutyWeekProps {
  plan: DutyPlan;
  parts: readonly Part[];
  /** Undefined if the viewer may not see how people are reached. */
  people: readonly ContactReach[] | undefined;
  today: string;
  /** Undefined if the person may not change the plan. */
  onChoose: ((part: Part) => void) | undefined;
}

/** The time of a part, such as "Thursday, November 19, 7:00 AM to 7:00 PM". */
export const whenText = (
  { fromClock, toClock }: Pick<Part, 'fromClock' | 'toClock'>,
  format: Format,
  range: (from: string, to: string) => string,
): string => {
  const [day, lastDay] = [fromClock.slice(0, 10), toClock.slice(0, 10)];
  const [from, to] = [format.clock(fromClock.slice(11)), format.clock(toClock.slice(11))];
  const isShort = day === lastDay || toClock <= `${laterDay(day, 1)}T${fromClock.slice(11)}`;
  return `${sentence(format.longDay(day))}, ${range(from, isShort ? to : `${format.longDay(lastDay)}, ${to}`)}`;
};

/** The shown week: a column for each day, a row for each time at which somebody else begins. On a phone, a list of days. */
export function DutyWeek({ plan, parts, people = [], today, onChoose }: DutyWeekProps) {
  const texts = useTexts(DUTY_TEXTS);
  const format = useFormat();
  const rows = rowsOf(parts);
  const rangeOf = ({ fromClock, toClock }: Part): string =>
    texts.range(format.clock(fromClock.slice(11)), format.clock(toClock.slice(11)));
  const rowRange = rows.map((row) => {
    const usual = parts.find((part) => part.fromClock.slice(11) === row && !part.is_exception);
    return usual === undefined ? format.clock(row) : rangeOf(usual);
  });
  return (
    <ol className="duty-week">
      {rowRange.map((range, row) => (
        <li key={range} className="row-time" style={{ gridRow: row + 2 }} aria-hidden="true">
          {range}
        </li>
      ))}
      {Array.from({ length: 7 }, (_, index) => laterDay(plan.week_from, index)).map((day, column) => (
        <li key={day} className={day === today ? 'day today' : 'day'}>
          <h3 style={{ gridColumn: column + 2 }}>
            {day === today ? texts.day(shortDay(day, format)) : shortDay(day, format)}
          </h3>
          {rows.map((row, index) => {
            const part = parts.find(({ fromClock }) => fromClock === `${day}T${row}`);
            return (
              <div key={row} style={{ gridColumn: column + 2, gridRow: index + 2 }} className="slot">
                {part !== undefined && (
                  <PartBox
                    part={part}
                    range={rangeOf(part)}
                    isUsual={rangeOf(part) === rowRange[index]}
                    insteadOf={insteadOf(plan, people, part)}
                    onChoose={onChoose}
                  />
                )}
              </div>
            );
          })}
        </li>
      ))}
    </ol>
  );
}

/** A day such as "Mon 16". Intl would write weekday and day as "16 Mon" in English. */
const shortDay = (day: string, { locale }: Format): string => {
  const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' });
  return `${sentence(weekday.format(Date.parse(`${day}T12:00Z`)))} ${Number(day.slice(8))}`;
};

/** The name of the person who would be on duty without the exception. Empty if it is the same person or nobody. */
function insteadOf(
  plan: DutyPlan,
  people: readonly ContactReach[],
  { is_exception, fromClock, contact_id }: Part,
): string {
  if (!is_exception || exceptionAt(plan, fromClock) === undefined) return '';
  const id = shiftAt(plan, fromClock)?.contact_id;
  return id === contact_id ? '' : (people.find((one) => one.contact_id === id)?.name ?? '');
}

interface PartBoxProps {
  part: Part;
  range: string;
  /** True if the head of the row has the same times. */
  isUsual: boolean;
  insteadOf: string;
  onChoose: DutyWeekProps['onChoose'];
}

function PartBox({ part, range, isUsual, insteadOf: other, onChoose }: PartBoxProps) {
  const texts = useTexts(DUTY_TEXTS);
  const format = useFormat();
  const { name, next_name: next, isNow, is_exception: isException } = part;
  const kind = name === null ? 'gap' : isException ? 'swap' : '';
  const details = [
    isNow ? texts.nowThen(next ?? '') : other !== '' ? texts.insteadOf(other) : next !== null ? texts.nextOf(next) : '',
    isException && other === '' ? texts.exception : '',
  ].filter(Boolean);
  const content = (
    <>
      <b>{name ?? texts.nobody}</b>
      <span className="meta">{name === null && onChoose !== undefined ? texts.choose : details.join(', ')}</span>
      <span className={isUsual ? 'meta range usual' : 'meta range'}>{range}</span>
    </>
  );
  const className = `shift ${kind} ${isNow ? 'now' : ''}`;
  if (onChoose === undefined) return <div className={className}>{content}</div>;
  const when = whenText(part, format, texts.range);
  return (
    <button
      type="button"
      className={className}
      aria-label={`${when}: ${[name ?? texts.nobody, ...details].join(', ')}`}
      onClick={() => onChoose(part)}
    >
      {content}
    </button>
  );
}

/** The largest number of gaps that are listed one by one. */
const SHOWN_GAPS = 3;

interface WarningsProps extends Pick<DutyWeekProps, 'plan' | 'parts' | 'people' | 'onChoose'> {
  onCorrect: (contactId: string) => void;
}

/** Warns of times of the shown week without anybody on duty, and of people on duty who cannot be reached. */
export function DutyWarnings({ plan, parts, people = [], onChoose, onCorrect }: WarningsProps) {
  const texts = useTexts(DUTY_TEXTS);
  const format = useFormat();
  const gaps = gapsOf(parts);
  const ids = new Set(parts.filter(({ isOver }) => !isOver).flatMap((part) => [part.contact_id, part.next_contact_id]));
  const troubled = people.flatMap((person) => {
    const trouble = ids.has(person.contact_id) ? troubleOf(person, plan.sends_texts) : null;
    return trouble === null ? [] : [{ person, trouble }];
  });
  return (
    <>
      {gaps.slice(0, SHOWN_GAPS).map((gap) => {
        const when = whenText(gap, format, texts.range);
        return (
          <div key={gap.from} className="duty-warning">
            <Icon name="warning" />
            <p>
              <b>{texts.gap(when)}</b> {texts.gapMeans}
            </p>
            {onChoose !== undefined && (
              <Button aria-label={texts.chooseFor(when)} onClick={() => onChoose(gap)}>
                {texts.choose}
              </Button>
            )}
          </div>
        );
      })}
      {gaps.length > SHOWN_GAPS && <p className="meta">{texts.moreGaps(format.count(gaps.length - SHOWN_GAPS))}</p>}
      {troubled.map(({ person: { contact_id: id, name }, trouble }) => (
        <div key={id} className="duty-warning">
          <Icon name="warning" />
          <p>
            <b>{texts.unreachable[trouble](name)}</b>
          </p>
          <Button aria-label={texts.correctOf(name)} onClick={() => onCorrect(id)}>
            {texts.correct}
          </Button>
        </div>
      ))}
    </>
  );
}

/** Why a message about a loss may not reach a person on duty in time. Null if nothing prevents it. */
function troubleOf(person: ContactReach, sendsTexts: boolean): 'failed' | 'unverified' | 'mail' | 'none' | null {
  const {
    phone,
    verified_at: verifiedAt,
    by_text: byText,
    by_mail: byMail,
    by_push: byPush,
    browsers,
    last_text: last,
  } = person;
  if (sendsTexts && byText && verifiedAt !== null) return last?.status === 'failed' ? 'failed' : null;
  if (sendsTexts && byText && phone !== null) return 'unverified';
  if (byPush && browsers > 0) return null;
  return byMail ? 'mail' : 'none';
}
