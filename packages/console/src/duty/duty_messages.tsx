import type { Escalation } from '@tankwatch/client';
import { Link } from 'wouter';
import { useNow } from '../clock.ts';
import { sentence } from '../format.ts';
import { Icon, StatusMark } from '../parts/marks.tsx';
import { usePreferences, useTexts } from '../preferences.tsx';
import { DUTY_TEXTS } from '../translations/duty.ts';
import { Step } from './duty_steps.tsx';

/** What was sent about each loss, whether it arrived, and who is next. Those that go on come first. */
export function DutyMessages({ escalations }: { escalations: readonly Escalation[] }) {
  const texts = useTexts(DUTY_TEXTS);
  const ended = escalations.filter(({ ended_at: endedAt }) => endedAt !== null);
  return (
    <section aria-labelledby="duty-messages">
      <h2 id="duty-messages">{texts.messages}</h2>
      {escalations.length === 0 && <p className="notice">{texts.noMessages}</p>}
      {escalations
        .filter(({ ended_at: endedAt }) => endedAt === null)
        .map((escalation) => (
          <Running key={escalation.id} escalation={escalation} />
        ))}
      {ended.length > 0 && (
        <ul className="setting-list">
          {ended.map((escalation) => (
            <Ended key={escalation.id} escalation={escalation} />
          ))}
        </ul>
      )}
    </section>
  );
}

function useTitleOf(): (escalation: Escalation) => string {
  const texts = useTexts(DUTY_TEXTS);
  return ({ condition, tank_name: name }) =>
    (condition === 'losing' ? texts.losing : texts.empty)(name ?? texts.unnamed);
}

function Running({ escalation }: { escalation: Escalation }) {
  const texts = useTexts(DUTY_TEXTS);
  const { format } = usePreferences();
  const nowMs = useNow();
  const title = useTitleOf()(escalation);
  const { tank_id: tankId, began_at: beganAt, next, next_at: nextAt, taken_at: takenAt, texts: sent } = escalation;
  const recent = (at: string): string => format.recent(at, nowMs);
  return (
    <article className={escalation.condition === 'losing' ? 'duty-run losing' : 'duty-run'}>
      <div className="run-head">
        <StatusMark status={escalation.condition} />
        <h3>{title}</h3>
        <Link className="button" href={`/tanks/${tankId}`} aria-label={texts.openOf(escalation.tank_name ?? '')}>
          {texts.open}
        </Link>
      </div>
      <div className="run-body">
        <div>
          <p>
            <b>
              {takenAt === null
                ? texts.nobodyFor(format.longDuration(nowMs - Date.parse(beganAt)))
                : texts.handled(recent(takenAt))}
            </b>
          </p>
          {next !== null && nextAt !== null && <p>{texts.nextAt(texts.nextStep[next], recent(nextAt))}</p>}
        </div>
        <ol className="ladder">
          <Step at={recent(beganAt)} what={texts.found} detail="" state="done" />
          {sent.map(({ contact_id: id, step, name, status, created_at: at }) => (
            <Step
              key={`${id} ${step}`}
              at={recent(at)}
              what={texts.sentTo(name ?? '')}
              detail={texts.states[status]}
              state="done"
            />
          ))}
          {next !== null && nextAt !== null && (
            <Step at={recent(nextAt)} what={sentence(texts.nextStep[next])} detail="" state="next" />
          )}
        </ol>
      </div>
    </article>
  );
}

function Ended({ escalation }: { escalation: Escalation }) {
  const texts = useTexts(DUTY_TEXTS);
  const { format } = usePreferences();
  const title = useTitleOf()(escalation);
  const { tank_id: tankId, began_at: beganAt, ended_at: endedAt, ended_because: because, texts: sent } = escalation;
  return (
    <li>
      <h3>
        <Link href={`/tanks/${tankId}`}>{title}</Link> <span className="meta">{format.dateTime(beganAt)}</span>
      </h3>
      <p className="meta">
        {because !== null && endedAt !== null && texts.endedAt(texts.ended[because], format.dateTime(endedAt))}
      </p>
      {sent.map(({ contact_id: id, step, name, status, created_at: at, error }) => (
        <p key={`${id} ${step}`}>
          {status === 'failed' && <Icon name="warning" />} {format.time(at)} {texts.sentTo(name ?? '')}:{' '}
          {texts.states[status]}
          {error !== null && <span className="meta"> ({error})</span>}
        </p>
      ))}
    </li>
  );
}
