import type { DutyPlan, Escalation } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { useNow } from '../clock.ts';
import { sentence } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { Icon, StatusMark } from '../parts/marks.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { HandleForm } from '../tank/handle_form.tsx';
import { tankQuery } from '../tank_query.ts';
import { DUTY_TEXTS } from '../translations/duty.ts';
import { TANK_FORM_TEXTS } from '../translations/tank_forms.ts';
import { Step } from './duty_steps.tsx';

interface DutyMessagesProps {
  escalations: readonly Escalation[];
  /** Undefined while the plan is read. */
  onDuty: DutyPlan['now'] | undefined;
  readAgain: () => void;
}

/** What was sent about each loss, whether it arrived, and who is next. Escalations that are not over come first. */
export function DutyMessages({ escalations, onDuty, readAgain }: DutyMessagesProps) {
  const texts = useTexts(DUTY_TEXTS);
  const ended = escalations.filter(({ ended_at: endedAt }) => endedAt !== null);
  return (
    <section aria-labelledby="duty-messages">
      <h2 id="duty-messages">{texts.messages}</h2>
      {escalations.length === 0 && <p className="notice">{texts.noMessages}</p>}
      {escalations
        .filter(({ ended_at: endedAt }) => endedAt === null)
        .map((escalation) => (
          <Running key={escalation.id} escalation={escalation} onDuty={onDuty} readAgain={readAgain} />
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

interface RunningProps extends Omit<DutyMessagesProps, 'escalations'> {
  escalation: Escalation;
}

function useTitleOf(): (escalation: Escalation) => string {
  const texts = useTexts(DUTY_TEXTS);
  return ({ condition, tank_name: name }) =>
    (condition === 'losing' ? texts.losing : texts.empty)(name ?? texts.unnamed);
}

function Running({ escalation, onDuty, readAgain }: RunningProps) {
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
          {takenAt === null && <RunningActs escalation={escalation} onDuty={onDuty} readAgain={readAgain} />}
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

/** The buttons to take a condition on, or to tell the next people at once. */
function RunningActs({ escalation, onDuty, readAgain }: RunningProps) {
  const texts = useTexts(DUTY_TEXTS);
  const handle = useTexts(TANK_FORM_TEXTS).handle;
  const { id, next, tank_id: tankId } = escalation;
  const name = escalation.tank_name ?? texts.unnamed;
  const [isOpen, setOpen] = useState(false);
  const { data: status } = useQuery({ ...tankQuery(tankId), enabled: isOpen });
  const change = useChange(readAgain);
  const tell = (label: string, body: { all: boolean }): void =>
    change.begin({ method: 'POST', path: `/escalations/${id}/step`, body, label });
  const person = (next === 'on_duty' ? onDuty?.name : next === 'next' ? onDuty?.next_name : null) ?? null;
  if (isOpen && status !== undefined)
    return (
      <HandleForm
        status={status}
        onDone={() => {
          setOpen(false);
          readAgain();
        }}
      />
    );
  return (
    <>
      <p className="button-row">
        <Button
          className={escalation.condition === 'losing' ? 'danger' : 'primary'}
          aria-label={handle.openOf(name)}
          onClick={() => setOpen(true)}
        >
          {handle.open}
        </Button>
        {person !== null && (
          <Button disabled={change.isBusy} onClick={() => tell(texts.tellNow(person), { all: false })}>
            {texts.tellNow(person)}
          </Button>
        )}
        <Button disabled={change.isBusy} onClick={() => tell(texts.tellAllNow, { all: true })}>
          {texts.tellAllNow}
        </Button>
      </p>
      <ChangeNotice change={change} />
    </>
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
