import type { DutyPlan } from '@tankwatch/client';
import { useState } from 'react';
import { zonedDate } from '../../../../src/values/zoned_time.ts';
import type { Session } from '../api.ts';
import { useNow } from '../clock.ts';
import { Button } from '../parts/button.tsx';
import { Panel } from '../parts/panel.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { Table } from '../parts/table.tsx';
import { useFormat, useTexts } from '../preferences_and_words.tsx';
import { SettingsHead } from '../settings/settings_head.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { DUTY_TEXTS } from '../translations/duty.ts';
import { useDutyPlan, useEscalations, useReach } from './duty_data.ts';
import { DutyMessages } from './duty_messages.tsx';
import { laterDay, type Part, partsOf } from './duty_parts.ts';
import { DutySteps } from './duty_steps.tsx';
import { DutyWarnings, DutyWeek } from './duty_week.tsx';
import { ExceptionForm } from './exception_form.tsx';
import { ReachRow } from './reach_row.tsx';
import { repeatedWeek } from './repeated_week.ts';
import { ShiftsForm } from './shifts_form.tsx';
import { TextProviderPanel } from './text_provider.tsx';
import '../styles/catalog.css';
import '../styles/forms.css';
import '../styles/duty.css';

/** Who is on duty, what happens if nobody handles a loss, and how each person is reached. */
export function DutyPage({ session }: { session: Session }) {
  const { askAdministrator } = useTexts(CHANGE_TEXTS);
  const canRead = session.rights.includes('alerts');
  const canChange = session.rights.includes('contacts');
  const [from, setFrom] = useState<string | null>(null);
  const { data: plan, error, refetch, readAgain } = useDutyPlan(from, { isEnabled: canRead });
  const escalations = useEscalations({ isEnabled: canRead });
  return (
    <div className="settings duty">
      <SettingsHead page="duty" />
      {!canRead && <p className="notice">{askAdministrator}</p>}
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {canRead && plan === undefined && error === null && <Skeleton rows={8} />}
      {plan !== undefined && (
        <Plan plan={plan} from={from} setFrom={setFrom} canChange={canChange} readPlan={() => void readAgain()} />
      )}
      {escalations.data !== undefined && (
        <DutyMessages
          escalations={escalations.data}
          onDuty={plan?.now}
          readAgain={() => void escalations.readAgain()}
        />
      )}
    </div>
  );
}

interface PlanProps {
  plan: DutyPlan;
  /** The first day shown. Null for this week. */
  from: string | null;
  setFrom: (from: string | null) => void;
  canChange: boolean;
  readPlan: () => void;
}

function Plan({ plan, from, setFrom, canChange, readPlan }: PlanProps) {
  const texts = useTexts(DUTY_TEXTS);
  const format = useFormat();
  const nowMs = useNow();
  const [opened, setOpened] = useState<Part | 'shifts' | 'repeat' | null>(null);
  /** The contact whose row is open. */
  const [openContactId, setOpenContactId] = useState<string | null>(null);
  const reach = useReach({ isEnabled: canChange });
  const people = reach.data ?? [];
  const parts = partsOf(plan, nowMs);
  const isEmpty = plan.shifts.length === 0 && plan.exceptions.length === 0;
  const readReach = (): void => void reach.readAgain();
  const now = parts.find(({ isNow }) => isNow);
  const onChoose = canChange ? (part: Part): void => setOpened(part) : undefined;
  return (
    <>
      <div className="panel-head week-head">
        <h2>{texts.week(format.longDay(plan.week_from).replace(/^[^,]*, /, ''))}</h2>
        <span className="actions">
          <Button onClick={() => setFrom(laterDay(plan.week_from, -7))}>{texts.previous}</Button>
          {from !== null && <Button onClick={() => setFrom(null)}>{texts.thisWeek}</Button>}
          <Button onClick={() => setFrom(laterDay(plan.week_from, 7))}>{texts.following}</Button>
          {canChange && (
            <Button aria-expanded={opened === 'shifts'} onClick={() => setOpened('shifts')}>
              {texts.changePlan}
            </Button>
          )}
          {canChange && !isEmpty && (
            <Button aria-expanded={opened === 'repeat'} onClick={() => setOpened('repeat')}>
              {texts.repeatWeek}
            </Button>
          )}
        </span>
      </div>
      {isEmpty && <p className="notice">{texts.noPlan}</p>}
      {!isEmpty && (
        <>
          {from === null && <OnDutyNow plan={plan} now={now} />}
          <DutyWarnings
            plan={plan}
            parts={parts}
            people={reach.data}
            onChoose={onChoose}
            onCorrect={(id) => setOpenContactId(id)}
          />
          <DutyWeek
            plan={plan}
            parts={parts}
            people={reach.data}
            today={zonedDate(nowMs, plan.time_zone)}
            onChoose={onChoose}
          />
        </>
      )}
      {opened === 'shifts' && (
        <ShiftsForm plan={plan} people={people} onSaved={readPlan} onClose={() => setOpened(null)} />
      )}
      {opened === 'repeat' && (
        <ShiftsForm
          plan={repeatedWeek(plan, parts)}
          intro={texts.repeatMeans}
          people={people}
          onSaved={readPlan}
          onClose={() => setOpened(null)}
        />
      )}
      {opened !== null && typeof opened !== 'string' && (
        <ExceptionForm
          key={opened.from}
          plan={plan}
          part={opened}
          people={people}
          onSaved={readPlan}
          onClose={() => setOpened(null)}
        />
      )}
      <div className={canChange ? 'duty-grid' : ''}>
        <div>
          <DutySteps plan={plan} canChange={canChange} onSaved={readPlan} />
          {canChange && <TextProviderPanel sendsTexts={plan.sends_texts} onSaved={readPlan} />}
        </div>
        {canChange && (
          <Panel id="duty-people" title={texts.people}>
            <Table
              className="reach"
              columns={[
                texts.person,
                { text: texts.text, className: 'tick' },
                { text: texts.mail, className: 'tick' },
                { text: texts.push, className: 'tick' },
                texts.quiet,
                texts.lastText,
                null,
              ]}
              hasBodies
            >
              {people.map((person) => (
                <ReachRow
                  key={person.contact_id}
                  person={person}
                  sendsTexts={plan.sends_texts}
                  isOpen={openContactId === person.contact_id}
                  onOpen={(isOpen) => setOpenContactId(isOpen ? person.contact_id : null)}
                  onSaved={readReach}
                />
              ))}
            </Table>
            <p className="meta">{texts.peopleHelp}</p>
          </Panel>
        )}
      </div>
    </>
  );
}

function OnDutyNow({ plan: { now }, now: part }: { plan: DutyPlan; now: Part | undefined }) {
  const texts = useTexts(DUTY_TEXTS);
  const format = useFormat();
  if (now.name === null || part === undefined) return <p>{texts.nobodyNow}</p>;
  return (
    <p>
      <b>{texts.now(now.name, format.clock(part.toClock.slice(11)))}</b>{' '}
      {now.next_name !== null && texts.thenNext(now.next_name)}
    </p>
  );
}
