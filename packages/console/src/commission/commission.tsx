import type { KnownDevice, TankStatus } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useTitle } from '../frame/title.ts';
import { useLive } from '../live/use_live.ts';
import { lazyComponent } from '../parts/lazy_component.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { usePreferences, useTexts, useTranslation } from '../preferences_and_words.tsx';
import { addressOf, nameOf } from '../status.ts';
import { tankQuery } from '../tank_query.ts';
import { COMMISSION_TEXTS } from '../translations/commission.ts';
import { GAUGE_TEXTS } from '../translations/gauges.ts';
import { useUrlState } from '../url_state.ts';
import { DeviceForm } from './device_form.tsx';
import { DialStep } from './dial_step.tsx';
import { GaugeSteps, type MeasureKind } from './gauge_steps.tsx';
import { TankStep } from './tank_step.tsx';
import { WaitStep } from './wait_step.tsx';
import '../styles/forms.css';
import '../styles/commission.css';

/** Loaded when it is opened from the page of a tank. */
const CalibrationPage = lazyComponent(async () => (await import('./calibration.tsx')).CalibrationPage);

/**
 * Puts a device on a tank, on a phone: choose the device, describe the tank and the position of the sensor, wait for
 * the first reading, compare it with the dial. The step is in the URL, so that a reload continues at the same step.
 */
export function CommissionPage({ tankId, page }: { tankId: string | undefined; page: string | undefined }) {
  const texts = useTexts(COMMISSION_TEXTS);
  useTitle(texts.title);
  if (tankId !== undefined && page !== undefined) return <CalibrationPage tankId={tankId} />;
  return (
    <div className="commission">
      <div className="page-head">
        <h1>{texts.title}</h1>
      </div>
      {tankId === undefined ? <TankStep /> : <TankSteps tankId={tankId} />}
    </div>
  );
}

interface StepProps {
  number: number;
  count: number;
  title: string;
  back: string;
  children: ReactNode;
}

function Step({ number, count, title, back, children }: StepProps) {
  const texts = useTexts(COMMISSION_TEXTS);
  return (
    <section className="step" aria-labelledby="step">
      <p className="meta step-head">
        <Link href={back}>{texts.back}</Link>
        <span>{texts.step(number, count)}</span>
      </p>
      <p className="step-bar" aria-hidden="true">
        {Array.from({ length: count }, (_, n) => (
          <span key={n} className={n < number ? 'done' : undefined} />
        ))}
      </p>
      <h2 id="step">{title}</h2>
      {children}
    </section>
  );
}

const MEASURE_KINDS: readonly MeasureKind[] = ['distance', 'height', 'length', 'pressure', 'raw'];
/** The number of steps. A sensor that sends a level needs no description of the tank and of the sensor's position. */
const STEPS = { level: 3, measure: 5 } as const;

/** The steps after a tank was chosen. */
function TankSteps({ tankId }: { tankId: string }) {
  const words = useTranslation();
  const { data, error, refetch } = useQuery(tankQuery(tankId));
  const readAgain = (): void => void refetch();
  useLive({ tankIds: [tankId], onChanged: (ids) => ids.includes(tankId) && readAgain(), onCatchUp: readAgain });
  if (data === undefined && error === null) return <Skeleton rows={4} />;
  return (
    <>
      {/* The steps stay if the network fails at the tank. */}
      {error !== null && <ProblemNotice error={error} notFound={words.tank.notFound} onRetry={readAgain} />}
      {data !== undefined && <KnownTankSteps status={data} readAgain={readAgain} />}
    </>
  );
}

function KnownTankSteps({ status, readAgain }: { status: TankStatus; readAgain: () => void }) {
  const { format } = usePreferences();
  const texts = useTexts(COMMISSION_TEXTS);
  const gaugeTexts = useTexts(GAUGE_TEXTS);
  const { given, href } = useUrlState();
  const [, navigate] = useLocation();
  const [known, setKnown] = useState<KnownDevice>();
  const { tank, owner } = status;
  const name = nameOf(tank);
  const [putAt, step, before] = [given.get('put'), given.get('step'), given.get('before')];
  const kind = MEASURE_KINDS.find((one) => one === given.get('measures'));
  // A reading with the time `before` is from the device before, or from before the sensor was turned (`onAgain`).
  const reading = status.reading?.created_at === before ? null : status.reading;
  const device = tank.assigned_device_id;
  const go = (values: Parameters<typeof href>[0]): void => navigate(href(values));
  const hasMeasure = putAt === null ? (known?.measures.length ?? 0) > 0 : kind !== undefined;
  const stepCount = hasMeasure ? STEPS.measure : STEPS.level;
  const frame = (number: number, title: string, back: string, content: ReactNode): ReactNode => (
    <Step number={number} count={stepCount} title={title} back={back}>
      <p>
        <b>{putAt === null ? name : texts.isDone(device, name)}</b>{' '}
        <span className="meta">{[owner.name, addressOf(status)].filter(Boolean).join(' · ')}</span>
      </p>
      {content}
    </Step>
  );
  const toDevice = href({ put: undefined, before: undefined, step: undefined, measures: undefined });
  if (putAt === null)
    return frame(
      1,
      texts.whichDevice,
      '/commission',
      <DeviceForm
        status={status}
        onKnown={setKnown}
        onPut={(saved, { tank: { assigned_device_id: deviceBefore }, reading: readingBefore }) => {
          readAgain();
          const measures = known?.measures[0];
          go({
            put: String(Date.now()),
            before: readingBefore?.created_at,
            measures,
            // If the device was on the tank already, the newest gauge of the tank is corrected, and none is added.
            from: saved.assigned_device_id === deviceBefore ? undefined : saved.updated_at,
            optional: known?.reports_level === true ? '1' : undefined,
            step: measures === undefined ? undefined : 'shape',
          });
        }}
      />,
    );
  if (step === 'done')
    return (
      <div className="notice" role="status">
        <p>
          {texts.isDone(device, name)} {given.get('corrected') !== null && gaugeTexts.dial.corrected}
        </p>
        {reading !== null && (
          <p>
            <b>{format.percent(reading.fill_percentage)}</b>{' '}
            {format.volume((reading.fill_percentage * tank.capacity) / 100, tank.capacity_unit)}
          </p>
        )}
        <p className="button-row">
          <Link className="button" href={`/tanks/${tank.id}`}>
            {texts.openTank}
          </Link>
          <Link className="button" href="/commission">
            {texts.another}
          </Link>
        </p>
      </div>
    );
  const toShape = href({ step: 'shape', measures: kind });
  if (kind !== undefined && (step === 'shape' || step === 'mount'))
    return (
      <GaugeSteps
        status={status}
        kind={kind}
        putAt={putAt}
        isMount={step === 'mount'}
        from={given.get('from')}
        onMount={() => go({ step: 'mount' })}
        // The newest gauge now belongs to this device.
        onStored={() => go({ step: undefined, from: undefined })}
        onSkip={given.get('optional') === null ? null : () => go({ step: undefined, measures: undefined })}
        frame={(title, content) =>
          title === gaugeTexts.mount.title ? frame(3, title, toShape, content) : frame(2, title, toDevice, content)
        }
      />
    );
  const done = (isCorrected = false): void => go({ step: 'done', corrected: isCorrected ? '1' : undefined });
  if (step === 'dial' && reading !== null)
    return frame(
      stepCount,
      kind === undefined ? texts.compare : gaugeTexts.dial.title,
      href({ step: undefined }),
      <DialStep
        status={status}
        reading={reading}
        toShape={kind === undefined ? null : toShape}
        onAgain={() => go({ before: reading.created_at, put: String(Date.now()), step: undefined })}
        onDone={done}
      />,
    );
  return frame(
    stepCount - 1,
    reading === null || kind === undefined ? texts.waiting : gaugeTexts.reading.title(format.time(reading.created_at)),
    kind === undefined ? toDevice : href({ step: 'mount' }),
    <WaitStep
      status={status}
      reading={reading}
      toShape={kind === undefined ? null : toShape}
      putAtMs={Number(putAt)}
      onDescribe={(measures) => go({ measures, step: 'shape' })}
      onCompare={() => go({ step: 'dial' })}
      onDone={done}
    />,
  );
}
