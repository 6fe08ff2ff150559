import type { TankStatus } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { fleet } from '../api.ts';
import { useNow } from '../clock.ts';
import { Field } from '../forms/field.tsx';
import { useTitle } from '../frame/title.ts';
import { useLive } from '../live/use_live.ts';
import { StatusBadge } from '../parts/badge.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { useTexts, useTranslation } from '../preferences.tsx';
import { isSearchable } from '../search_words.ts';
import { addressOf, nameOf } from '../status.ts';
import { useUrlState } from '../url_state.ts';
import { DeviceForm } from './device_form.tsx';
import { DialStep, WaitStep } from './first_reading.tsx';
import '../styles/forms.css';
import { COMMISSION_TEXTS } from '../translations/commission.ts';

/**
 * Put a device on a tank, on a phone: which tank, which device, wait for the first reading, compare it with the dial. The
 * step is in the address, so that a reload goes on where it was.
 */
export function CommissionPage({ tankId }: { tankId?: string }) {
  const texts = useTexts(COMMISSION_TEXTS);
  useTitle(texts.title);
  return (
    <div className="commission">
      <div className="page-head">
        <h1>{texts.title}</h1>
      </div>
      {tankId === undefined ? <TankStep /> : <TankSteps tankId={tankId} />}
    </div>
  );
}

const STEPS = [1, 2, 3, 4] as const;

interface StepProps {
  at: number;
  title: string;
  back: string | null;
  children: ReactNode;
}

function Step({ at, title, back, children }: StepProps) {
  const texts = useTexts(COMMISSION_TEXTS);
  return (
    <section className="step" aria-labelledby="step">
      <p className="meta step-head">
        {back !== null && <Link href={back}>{texts.back}</Link>}
        <span>{texts.step(at)}</span>
      </p>
      <p className="step-bar" aria-hidden="true">
        {STEPS.map((step) => (
          <span key={step} className={step <= at ? 'done' : undefined} />
        ))}
      </p>
      <h2 id="step">{title}</h2>
      {children}
    </section>
  );
}

function TankStep() {
  const words = useTranslation();
  const texts = useTexts(COMMISSION_TEXTS);
  const [text, setText] = useState('');
  const q = useDeferredValue(text.trim());
  const isLongEnough = isSearchable(q);
  const found = useQuery({
    queryKey: ['search', q],
    queryFn: ({ signal }) => fleet.search(q, { signal }),
    enabled: isLongEnough,
  });
  const waiting = useQuery({
    queryKey: ['never-reported'],
    queryFn: async ({ signal }) => fleet.tanks({ reporting: 'never', size: 20 }, { signal }),
  });
  const similar = found.data?.similar ?? null;
  const rows = isLongEnough ? (found.data?.tanks ?? []) : (waiting.data?.data ?? []);
  const error = isLongEnough ? found.error : waiting.error;
  return (
    <Step at={1} title={texts.whichTank} back={null}>
      <Field label={texts.search} help={isLongEnough ? '' : texts.searchHelp}>
        {(attributes) => (
          <input {...attributes} type="search" value={text} onChange={({ target }) => setText(target.value)} />
        )}
      </Field>
      {error !== null && (
        <ProblemNotice error={error} onRetry={() => void (isLongEnough ? found : waiting).refetch()} />
      )}
      {isLongEnough && found.data?.tanks.length === 0 && <p className="notice">{texts.nothing}</p>}
      {!isLongEnough && rows.length > 0 && <h3>{texts.withoutReading}</h3>}
      <ul className="pick-list">
        {rows.map((status) => (
          <Pick key={status.tank.id} status={status} />
        ))}
      </ul>
      {isLongEnough && similar !== null && similar.tanks.length > 0 && (
        <>
          <h3>{words.search.didYouMean(similar.q)}</h3>
          <ul className="pick-list">
            {similar.tanks.map((status) => (
              <Pick key={status.tank.id} status={status} />
            ))}
          </ul>
        </>
      )}
    </Step>
  );
}

function Pick({ status }: { status: TankStatus }) {
  const nowMs = useNow();
  return (
    <li>
      <Link href={`/commission/${status.tank.id}`}>
        <b>{nameOf(status.tank)}</b> <StatusBadge status={status} nowMs={nowMs} />
        <br />
        <span className="meta">{[status.owner.name, addressOf(status)].filter(Boolean).join(' · ')}</span>
      </Link>
    </li>
  );
}

/** The steps after the tank is known. */
function TankSteps({ tankId }: { tankId: string }) {
  const words = useTranslation();
  const texts = useTexts(COMMISSION_TEXTS);
  const { given, href } = useUrlState();
  const [, navigate] = useLocation();
  const { data, error, refetch } = useQuery({
    queryKey: ['tank', tankId],
    queryFn: ({ signal }) => fleet.tank(tankId, { signal }),
  });
  const readAgain = (): void => void refetch();
  useLive({ tankIds: [tankId], onChanged: (ids) => ids.includes(tankId) && readAgain(), onCatchUp: readAgain });

  if (error !== null && data === undefined)
    return <ProblemNotice error={error} notFound={words.tank.notFound} onRetry={readAgain} />;
  if (data === undefined) return <Skeleton rows={4} />;
  const name = nameOf(data.tank);
  const putAt = given.get('put');
  const before = given.get('before');
  const step = given.get('step');
  // The device that was on the tank before sent this reading.
  const reading = data.reading?.created_at === before ? null : data.reading;
  const device = data.tank.assigned_device_id;
  const about = (
    <p>
      <b>{putAt === null ? name : texts.isDone(device, name)}</b>{' '}
      <span className="meta">{[data.owner.name, addressOf(data)].filter(Boolean).join(' · ')}</span>
    </p>
  );
  if (putAt === null) {
    return (
      <Step at={2} title={texts.whichDevice} back="/commission">
        {about}
        <DeviceForm
          status={data}
          onPut={(putAtMs) => {
            readAgain();
            navigate(href({ put: String(putAtMs), before: data.reading?.created_at, step: undefined }));
          }}
        />
      </Step>
    );
  }
  if (step === 'done') {
    return (
      <div className="notice" role="status">
        <p>{texts.isDone(device, name)}</p>
        <p className="button-row">
          <Link className="button" href={`/tanks/${tankId}`}>
            {texts.openTank}
          </Link>
          <Link className="button" href="/commission">
            {texts.another}
          </Link>
        </p>
      </div>
    );
  }
  const done = (): void => navigate(href({ step: 'done' }));
  if (step === 'dial' && reading !== null)
    return (
      <Step at={4} title={texts.compare} back={href({ step: undefined })}>
        {about}
        <DialStep
          status={data}
          reading={reading}
          onAgain={() => navigate(href({ before: reading.created_at, put: String(Date.now()), step: undefined }))}
          onDone={done}
        />
      </Step>
    );
  return (
    <Step at={3} title={texts.waiting} back={href({ put: undefined, before: undefined, step: undefined })}>
      {about}
      <WaitStep
        reading={reading}
        putAtMs={Number(putAt)}
        onCompare={() => navigate(href({ step: 'dial' }))}
        onDone={done}
      />
    </Step>
  );
}
