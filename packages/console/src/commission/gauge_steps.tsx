import type { KnownDevice, TankGauges, TankStatus } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useDraft } from '../forms/draft.ts';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { nameOf } from '../status.ts';
import { GAUGE_TEXTS } from '../translations/gauges.ts';
import { type Gauge, gaugesQuery, putGauge, useGaugeChange, useLengths, useNumbers } from './gauges.ts';
import { MountStep } from './mount_step.tsx';
import { ShapeStep } from './shape_step.tsx';
import { formOf, initialValues, typedShape } from './shape_values.ts';

export type MeasureKind = KnownDevice['measures'][number];

interface GaugeStepsProps {
  status: TankStatus;
  kind: MeasureKind;
  /** When the device was put on the tank. The name of the draft contains this time, so that each device has its own draft. */
  putAt: string;
  isMount: boolean;
  /** The time from which the new gauge applies. Null if the newest gauge is corrected instead. */
  from: string | null;
  onMount: () => void;
  onStored: () => void;
  onSkip: (() => void) | null;
  /** Draws the frame of a step. */
  frame: (title: string, content: ReactNode) => ReactNode;
}

/** The steps for the form and size of the tank, and for the position of the sensor. The second step stores both. */
export function GaugeSteps(props: GaugeStepsProps) {
  const texts = useTexts(GAUGE_TEXTS);
  const { data, error, refetch } = useQuery(gaugesQuery(props.status.tank.id));
  if (data !== undefined) return <KnownGauges {...props} stored={data} />;
  return props.frame(
    texts.shape.title,
    error === null ? <Skeleton rows={4} /> : <ProblemNotice error={error} onRetry={() => void refetch()} />,
  );
}

function KnownGauges({ stored, ...props }: GaugeStepsProps & { stored: TankGauges }) {
  const { status, kind, putAt, isMount, from, onMount, onStored, onSkip, frame } = props;
  const { tank } = status;
  const texts = useTexts(GAUGE_TEXTS);
  const numberOf = useNumbers();
  const { mmOfSize } = useLengths(tank.capacity_unit);
  const newest = stored.gauges.at(-1);
  const draft = useDraft(`gauge/${tank.id}/${putAt}`, { values: initialValues(newest), etag: null });
  const { values } = draft;
  const mmOf = (text: string): number | null => {
    const value = numberOf(text);
    return value === null || value <= 0 ? null : mmOfSize(value);
  };
  const shape = values.form === 'stored' ? (newest?.shape ?? null) : typedShape(values, mmOf, numberOf);
  const change = useGaugeChange(tank.id, onStored);
  if (!isMount || shape === null)
    return frame(
      texts.shape.title,
      <ShapeStep status={status} draft={draft} stored={newest?.shape} shape={shape} onNext={onMount} onSkip={onSkip} />,
    );
  const store = (mount: Omit<Gauge, 'from_at' | 'shape'>): void => {
    const isUnchanged =
      newest !== undefined &&
      shape === newest.shape &&
      mount.measures === newest.measures &&
      mount.offset_mm === newest.offset_mm &&
      mount.density_kg_m3 === newest.density_kg_m3 &&
      mount.range?.empty === newest.range?.empty &&
      mount.range?.full === newest.range?.full;
    if (isUnchanged) return onStored();
    const from_at = newest === undefined ? null : (from ?? newest.from_at);
    change.begin({
      ...putGauge(stored, { from_at, shape, ...mount }, texts.mount.label(nameOf(tank))),
      draft: draft.name,
    });
  };
  return frame(
    texts.mount.title,
    <>
      <MountStep form={formOf(shape)} kind={kind} draft={draft} change={change} onStore={store} />
      <ChangeNotice change={change} changed={texts.mount.changed} />
    </>,
  );
}
