import type { KnownDevice, TankGauges, TankStatus } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { MINUTE_MS } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { Facts } from '../parts/facts.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { COMMISSION_TEXTS } from '../translations/commission.ts';
import { GAUGE_TEXTS } from '../translations/gauges.ts';
import { deviceQuery } from './device_model.tsx';
import type { MeasureKind } from './gauge_steps.tsx';
import { gaugesQuery, useLengths } from './gauges.ts';
import { formOf } from './shape_values.ts';
import { TankPicture } from './tank_picture.tsx';

export type Reading = NonNullable<TankStatus['reading']>;

/** If no reading has arrived after this time, the device or its position has a problem. */
const LATE_MS = 15 * MINUTE_MS;
/** How often the page asks whether the device sent a message without a reading. */
const ASK_MS = 5_000;
/** The clocks of the phone and of the service may differ by this much. */
const CLOCK_DIFFERENCE_MS = 2 * MINUTE_MS;

interface WaitStepProps {
  status: TankStatus;
  /** The first reading since the device was put on the tank or its sensor was turned. Null if there is none yet. */
  reading: Reading | null;
  /** The link to the step that describes the form. Null if the device sends a level. */
  toShape: string | null;
  putAtMs: number;
  onDescribe: (kind: MeasureKind) => void;
  onCompare: () => void;
  onDone: () => void;
}

/** Waits for the first reading, and shows the measure with the level and the volume that follow from it. */
export function WaitStep({ status, reading, toShape, putAtMs, onDescribe, onCompare, onDone }: WaitStepProps) {
  const { format } = usePreferences();
  const changeTexts = useTexts(CHANGE_TEXTS);
  const texts = useTexts(COMMISSION_TEXTS);
  const { reading: gaugeTexts, calibration } = useTexts(GAUGE_TEXTS);
  const { tank } = status;
  const waitedMs = useSeconds() - putAtMs;
  const { data: device } = useQuery({
    ...deviceQuery(tank.assigned_device_id),
    refetchInterval: reading === null ? ASK_MS : false,
  });
  const isMeasured = toShape !== null;
  const rejection = reading === null ? rejectedSince(device, putAtMs - CLOCK_DIFFERENCE_MS) : null;
  // The service did not know the device before, and its first message has a measure.
  const newKind = !isMeasured && rejection?.code === 'no_gauge' ? device?.measures[0] : undefined;
  return (
    <>
      <p role="status" className="first-reading">
        {reading !== null &&
          !isMeasured &&
          texts.arrived(format.percent(reading.fill_percentage), format.time(reading.created_at))}
      </p>
      {reading !== null && isMeasured && <MeasuredReading status={status} reading={reading} />}
      {/* Not in the status above, because a screen reader would read the time every second. */}
      {reading === null && <p className="waiting">{texts.waitingFor(format.stopwatch(waitedMs))}</p>}
      {rejection !== null && (
        <div className="notice" role="status">
          <p>
            {newKind === undefined
              ? rejectionText(rejection, format.time(rejection.received_at), gaugeTexts.rejected)
              : gaugeTexts.needsShape(format.time(rejection.received_at))}
          </p>
          {newKind !== undefined && <Button onClick={() => onDescribe(newKind)}>{calibration.describe}</Button>}
          {isMeasured && rejection.code === 'out_of_range' && <Link href={toShape}>{gaugeTexts.backToShape}</Link>}
        </div>
      )}
      {reading === null && rejection === null && waitedMs > LATE_MS && (
        <p className="notice">{isMeasured ? gaugeTexts.late : texts.late}</p>
      )}
      {reading !== null && device !== undefined && <Health device={device} />}
      <p className="button-row">
        <Button className="primary" disabled={reading === null} onClick={onCompare}>
          {isMeasured ? gaugeTexts.compare : texts.compare}
        </Button>
        {reading === null && waitedMs > LATE_MS && <Button onClick={() => onDone()}>{changeTexts.close}</Button>}
      </p>
    </>
  );
}

type Rejection = NonNullable<KnownDevice['last_rejection']>;

/** The last message of the device that gave no reading, if it arrived after this time. */
function rejectedSince(device: KnownDevice | undefined, sinceMs: number): Rejection | null {
  const rejection = device?.last_rejection ?? null;
  const isNew =
    rejection !== null && Date.parse(rejection.received_at) > sinceMs && rejection.code !== 'unknown_device';
  return isNew ? rejection : null;
}

function rejectionText({ code }: Rejection, time: string, texts: (typeof GAUGE_TEXTS)['en']['reading']['rejected']) {
  return code === 'no_gauge' || code === 'out_of_range' || code === 'no_reading'
    ? texts[code](time)
    : texts.other(time, code);
}

/** Shows the measure, how the height follows from it, the level and the volume. A wrong riser is then found at once. */
function MeasuredReading({ status: { tank }, reading }: Pick<WaitStepProps, 'status'> & { reading: Reading }) {
  const { format } = usePreferences();
  const texts = useTexts(GAUGE_TEXTS).reading;
  // The key contains the time of the reading, so that the gauges are read again with each reading.
  const { data } = useQuery({
    ...gaugesQuery(tank.id),
    queryKey: [...gaugesQuery(tank.id).queryKey, reading.created_at],
  });
  const measured = measuredText(data, useLengths('liters').mm, format.count);
  const latest = data?.latest_measure ?? null;
  const gauge = data?.gauges.at(-1);
  const share =
    latest === null || !latest.height_mm || !latest.inner_height_mm ? null : latest.height_mm / latest.inner_height_mm;
  return (
    <div role="status">
      {gauge !== undefined && share !== null && (
        <TankPicture
          form={formOf(gauge.shape)}
          share={share}
          isFromBottom={gauge.measures !== 'distance'}
          measured={measured?.measured}
          height={measured?.height}
        />
      )}
      <Facts
        className="three-values"
        facts={[
          measured !== null && [texts.measured, measured.measured],
          [texts.level, format.percent(reading.fill_percentage)],
          [texts.volume, format.volume((reading.fill_percentage * tank.capacity) / 100, tank.capacity_unit)],
        ]}
      />
      <MeasureSum gauges={data} />
    </div>
  );
}

function measuredText(
  gauges: TankGauges | undefined,
  mm: (value: number) => string,
  count: (value: number) => string,
): { measured: string; height: string | undefined } | null {
  const latest = gauges?.latest_measure ?? null;
  if (latest === null) return null;
  const { value, unit, height_mm } = latest;
  const measured = unit === 'mm' ? mm(value) : unit === null ? count(value) : `${count(value)} ${unit}`;
  return { measured, height: height_mm === null ? undefined : mm(height_mm) };
}

/** Shows how the height is computed from the measure. */
function MeasureSum({ gauges }: { gauges: TankGauges | undefined }) {
  const texts = useTexts(GAUGE_TEXTS).reading;
  const { mm } = useLengths('liters');
  const [latest, gauge] = [gauges?.latest_measure ?? null, gauges?.gauges.at(-1)];
  if (latest === null || gauge === undefined || latest.height_mm === null || latest.inner_height_mm === null)
    return null;
  const [measured, offset, height] = [mm(latest.value), mm(gauge.offset_mm), mm(latest.height_mm)];
  if (gauge.measures === 'distance')
    return <p className="meta">{texts.sumDistance(mm(latest.inner_height_mm), offset, measured, height)}</p>;
  return gauge.measures === 'height' ? <p className="meta">{texts.sumHeight(measured, offset, height)}</p> : null;
}

function Health({ device }: { device: KnownDevice }) {
  const { locale, percent } = usePreferences().format;
  const texts = useTexts(GAUGE_TEXTS).reading;
  const { maker, model, battery_v, battery_percent, signal_dbm, signal_percent } = device;
  const number = (value: number): string => new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }).format(value);
  const battery = battery_percent === null ? battery_v !== null && `${number(battery_v)} V` : percent(battery_percent);
  const signal = signal_dbm === null ? signal_percent !== null && percent(signal_percent) : `${number(signal_dbm)} dBm`;
  return (
    <ul className="checks">
      {model !== null && (
        <li>
          {maker} {model}
        </li>
      )}
      {battery !== false && <li>{texts.battery(battery)}</li>}
      {signal !== false && <li>{texts.signal(signal)}</li>}
    </ul>
  );
}

/** The current time, updated every second. */
function useSeconds(): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
