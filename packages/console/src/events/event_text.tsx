import type { ReactNode } from 'react';
import { type Format, HOUR_MS } from '../format.ts';
import { type MarkName, StatusMark } from '../parts/marks.tsx';
import { useTranslation } from '../preferences_and_words.tsx';
import type { Translation } from '../translations/translation.ts';
import type { ChartEvent } from './event_data.ts';
import { numberIn, unitIn } from './event_values.ts';

/** The marks of events. An event that begins a status has the mark of the status. */
export const EVENT_MARKS: Readonly<Partial<Record<ChartEvent['type'], MarkName>>> = {
  'tank.low_fill': 'low',
  'tank.refilled': 'refilled',
  'tank.rapid_loss': 'losing',
  'tank.device_silent': 'silent',
  'tank.gauge_unreliable': 'gauge_unreliable',
  'tank.unusual_use': 'unusual_use',
  'tank.acknowledged': 'handled',
  'device.battery_low': 'battery_low',
};

interface EventNameProps {
  type: ChartEvent['type'];
  isRecovery?: boolean;
  /** False where the mark is already beside the name. */
  hasMark?: boolean;
}

export function EventName({ type, isRecovery = false, hasMark = true }: EventNameProps) {
  const { events, history } = useTranslation();
  const mark = EVENT_MARKS[type];
  return (
    <span className={`event-name ${mark ?? ''}`}>
      {hasMark && mark !== undefined && <StatusMark status={mark} />}
      {isRecovery ? history.refilledAndRecovered : events[type]}
    </span>
  );
}

/** A retracted event is struck through, and the reason follows. */
export function Retractable({
  event,
  children,
}: {
  event: Pick<ChartEvent, 'retracted_because'>;
  children: ReactNode;
}) {
  const { retracted } = useTranslation();
  const { retracted_because: because } = event;
  if (because === null) return <>{children}</>;
  return (
    <>
      <s>{children}</s> <span className="retracted">{retracted[because]}</span>
    </>
  );
}

/** How often the device usually reports. Null for an event that a release before 0.4 recorded. */
function usualInterval(data: ChartEvent['data'], format: Format): string | null {
  const hours = data['usual_interval_hours'];
  return typeof hours === 'number' ? format.longDuration(hours * HOUR_MS) : null;
}

/** Why the event was recorded, as a sentence with its values. */
export function reasonOf(
  { type, data }: Pick<ChartEvent, 'type' | 'data'>,
  { reasons }: Translation,
  format: Format,
): string {
  const percent = (name: string): string => format.exactPercent(numberIn(data, name));
  const volume = (name: string): string => format.volume(numberIn(data, name), unitIn(data));
  const time = (name: string): string => {
    const value = data[name];
    return typeof value === 'string' ? format.fullTime(value) : '';
  };
  switch (type) {
    case 'tank.low_fill':
    case 'tank.order_due':
      return reasons.low(percent('fill_percentage'), percent('threshold_percentage'));
    case 'tank.fill_recovered':
      return reasons.recovered(percent('fill_percentage'), percent('threshold_percentage'));
    case 'tank.refilled':
      return (data['maybe_gauge_fault'] === true ? reasons.maybeRefilled : reasons.refilled)(
        percent('before_percentage'),
        percent('after_percentage'),
        volume('delivered_volume'),
      );
    case 'tank.overfilled':
      return reasons.overfilled(percent('fill_percentage'), percent('limit_percentage'));
    case 'tank.rapid_loss':
      return reasons.loss(
        percent('from_percentage'),
        percent('to_percentage'),
        format.duration(numberIn(data, 'hours') * HOUR_MS),
        volume('lost_volume'),
      );
    case 'tank.unusual_use':
      return reasons.unusual(
        percent('from_percentage'),
        percent('to_percentage'),
        format.duration(numberIn(data, 'hours') * HOUR_MS),
        volume('used_volume'),
        volume('usual_volume_per_day'),
      );
    case 'tank.device_silent':
      return reasons.silent(time('last_reading_at'), usualInterval(data, format));
    case 'tank.device_reporting':
      return reasons.reporting(time('silent_since'));
    case 'tank.gauge_unreliable':
      return data['reason'] === 'stuck_at_limit' ? reasons.stuck(percent('fill_percentage')) : reasons.contradictory;
    case 'tank.gauge_reliable':
      return reasons.reliable(time('unreliable_since'));
    case 'tank.acknowledged':
    case 'tank.muted':
      return reasons.until(time('until'));
    case 'device.battery_low':
    case 'device.battery_ok':
      return data['battery_percent'] === null
        ? String(data['device_id'])
        : `${String(data['device_id'])}: ${percent('battery_percent')}`;
    case 'connector.down':
    case 'connector.up':
      return String(data['name']);
    case 'tank.acknowledgement_ended':
    case 'tank.unmuted':
      return '';
    default:
      return '';
  }
}
