import { useState } from 'react';
import { type ChartEvent, numberIn, unitIn } from '../event_data.ts';
import { type Format, HOUR_MS } from '../format.ts';
import { usePreferences } from '../preferences.tsx';
import type { StatusName } from '../status.ts';
import type { Words } from '../words/words.ts';
import { StatusMark } from './marks.tsx';

const STEP = 8;

/** Events that begin a status have its mark. */
const MARKS: Readonly<Partial<Record<ChartEvent['type'], StatusName>>> = {
  'tank.low_fill': 'low',
  'tank.refilled': 'refilled',
  'tank.rapid_loss': 'losing',
  'tank.device_silent': 'silent',
  'tank.gauge_unreliable': 'gauge_unreliable',
};

/** What happened to a tank, newest first, with the reason and the readings that caused it. */
export function EventList({ events }: { events: readonly ChartEvent[] }) {
  const { words, format } = usePreferences();
  const [count, setCount] = useState(STEP);
  if (events.length === 0) return <p className="meta">{words.tank.eventsEmpty}</p>;
  return (
    <>
      <ul className="events">
        {events.slice(0, count).map((event) => {
          const mark = MARKS[event.type];
          return (
            <li key={event.id}>
              <time className="meta" dateTime={event.occurred_at}>
                {format.fullTime(event.occurred_at)}
              </time>
              <div>
                <span className={`event-name ${mark ?? ''}`}>
                  {mark !== undefined && <StatusMark status={mark} />}
                  {words.events[event.type]}
                </span>{' '}
                {reasonOf(event, words, format)}
                {event.readings.length > 0 && <EventReadings event={event} words={words} format={format} />}
              </div>
            </li>
          );
        })}
      </ul>
      {events.length > count && (
        <button type="button" className="button" onClick={() => setCount(count + 5 * STEP)}>
          {words.tank.olderEvents}
        </button>
      )}
    </>
  );
}

function EventReadings({ event, words, format }: { event: ChartEvent; words: Words; format: Format }) {
  const { readings } = event;
  return (
    <details>
      <summary className="meta">{words.tank.readings(readings.length, format.count(readings.length))}</summary>
      <ul className="meta">
        {readings.map(({ created_at, fill_percentage }) => (
          <li key={created_at}>{words.chart.at(format.fullTime(created_at), format.exactPercent(fill_percentage))}</li>
        ))}
      </ul>
    </details>
  );
}

function reasonOf({ type, data }: ChartEvent, { reasons }: Words, format: Format): string {
  const percent = (name: string): string => format.exactPercent(numberIn(data, name));
  const volume = (name: string): string => format.volume(numberIn(data, name), unitIn(data));
  const time = (name: string): string => {
    const value = data[name];
    return typeof value === 'string' ? format.fullTime(value) : '';
  };
  switch (type) {
    case 'tank.low_fill':
      return reasons.low(percent('fill_percentage'), percent('threshold_percentage'));
    case 'tank.fill_recovered':
      return reasons.recovered(percent('fill_percentage'), percent('threshold_percentage'));
    case 'tank.refilled':
      return reasons.refilled(percent('before_percentage'), percent('after_percentage'), volume('delivered_volume'));
    case 'tank.rapid_loss':
      return reasons.loss(
        percent('from_percentage'),
        percent('to_percentage'),
        format.duration(numberIn(data, 'hours') * HOUR_MS),
        volume('lost_volume'),
      );
    case 'tank.device_silent':
      return reasons.silent(time('last_reading_at'));
    case 'tank.device_reporting':
      return reasons.reporting(time('silent_since'));
    case 'tank.gauge_unreliable':
      return data['reason'] === 'stuck_at_limit' ? reasons.stuck(percent('fill_percentage')) : reasons.contradictory;
    case 'tank.gauge_reliable':
      return reasons.reliable(time('unreliable_since'));
    default:
      return '';
  }
}
