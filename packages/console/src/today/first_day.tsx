import type { FleetSummary, Settings } from '@tankwatch/client';
import { Link } from 'wouter';
import { useOrganization } from '../organization.ts';
import { Icon, StatusMark } from '../parts/marks.tsx';
import { Panel } from '../parts/panel.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { usePreferences, useTexts, useTranslation } from '../preferences_and_words.tsx';
import { useCan } from '../session.ts';
import { useSettings } from '../settings/use_settings.ts';
import { FIRST_DAY_TEXTS } from '../translations/first_day.ts';
import { findSteps, STEP_PAGES, STEPS, type StepName, type Steps } from './first_steps.ts';
import '../styles/forms.css';
import '../styles/first_day.css';

/** The sections that the page will have when the tanks report. */
const COMING = ['losing', 'low', 'soon', 'refilled'] as const;

/** Shown instead of the lists until the first reading: the steps until tanks are watched, one at a time. */
export function FirstDay({ summary }: { summary: FleetSummary }) {
  const words = useTranslation();
  const texts = useTexts(FIRST_DAY_TEXTS);
  const { data: settings, error, refetch } = useSettings();
  if (error !== null && settings === undefined) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (settings === undefined) return <Skeleton rows={6} />;
  const steps = findSteps(settings, summary);
  return (
    <div className="first-day">
      <Panel id="first-steps" title={texts.title}>
        <p className="meta">{texts.progress(steps.done.size, STEPS.length)}</p>
        <p className="step-bar" aria-hidden="true">
          {STEPS.map((name, index) => (
            <span key={name} className={index < steps.done.size ? 'done' : undefined} />
          ))}
        </p>
        <ol>
          {STEPS.map((name) => (
            <Step key={name} name={name} steps={steps} settings={settings} />
          ))}
        </ol>
      </Panel>
      <div>
        {steps.isNobodyWarned && (
          <section className="panel warned" aria-labelledby="nobody-warned">
            <h2 id="nobody-warned">
              <Icon name="warning" /> {texts.nobodyWarned}
            </h2>
            <p>{texts.untilThen}</p>
          </section>
        )}
        <Panel id="what-comes" title={texts.whatComes}>
          <dl>
            {COMING.map((name) => (
              <div key={name}>
                <dt className={`section-title ${name}`}>
                  <StatusMark status={name} /> {words.status[name]}
                </dt>
                <dd className="meta">{texts.coming[name]}</dd>
              </div>
            ))}
          </dl>
        </Panel>
      </div>
    </div>
  );
}

interface StepProps {
  name: StepName;
  steps: Steps;
  settings: Settings;
}

function Step({ name, steps: { done, next }, settings: { organization } }: StepProps) {
  const { format } = usePreferences();
  const texts = useTexts(FIRST_DAY_TEXTS);
  const emergencyNumber = useOrganization()?.emergencyNumber ?? '';
  const page = STEP_PAGES[name];
  const canDo = useCan(page?.right ?? '');
  const state = done.has(name) ? 'done' : name === next ? 'next' : 'open';
  const stored: Partial<Record<StepName, string>> = {
    organization: `${organization.name} · ${format.zoneName(organization.time_zone)}`,
    phone: `${emergencyNumber} · ${organization.phone}`,
  };
  const { title, help, action } = texts.steps[name];
  const isByHand = name === 'tanks' && state !== 'done' && canDo;
  return (
    <li className={state}>
      <div>
        <h3>{title}</h3>
        <p className="meta">{(state === 'done' && stored[name]) || help}</p>
        {state === 'next' && page !== null && canDo && (
          <Link className="button primary" href={page.href}>
            {action}
          </Link>
        )}
        {isByHand && (
          <>
            {' '}
            <Link href="/customers">{texts.steps.tanks.otherAction}</Link>
          </>
        )}
        {state === 'next' && !canDo && <p>{texts.administrator}</p>}
        {state === 'open' && page !== null && canDo && <Link href={page.href}>{action}</Link>}
      </div>
      <span className="state">{texts.states[state]}</span>
    </li>
  );
}

/** A line above the lists for an administrator, shown while nobody gets a mail about a loss. */
export function OpenSteps({ summary }: { summary: FleetSummary }) {
  const texts = useTexts(FIRST_DAY_TEXTS);
  const { data: settings } = useSettings();
  if (settings === undefined || findSteps(settings, summary).done.has('mails')) return null;
  return (
    <p className="notice">
      {texts.noMails} <Link href="/mails">{texts.steps.mails.action}</Link>
    </p>
  );
}
