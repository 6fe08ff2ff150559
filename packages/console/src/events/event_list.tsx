import { useState } from 'react';
import type { Format } from '../format.ts';
import { usePreferences } from '../preferences.tsx';
import type { Translation } from '../translations/translation.ts';
import type { ChartEvent } from './event_data.ts';
import { EventName, Retractable, reasonOf } from './event_text.tsx';
import { Followed } from './followed.tsx';
import { joinEvents } from './joined_events.ts';

const STEP = 8;

/** What happened to a tank, newest first, with the reason and the readings that caused it. */
export function EventList({ events }: { events: readonly ChartEvent[] }) {
  const { words, format } = usePreferences();
  const [count, setCount] = useState(STEP);
  const joined = joinEvents(events);
  if (joined.length === 0) return <p className="meta">{words.tank.eventsEmpty}</p>;
  return (
    <>
      <ul className="events">
        {joined.slice(0, count).map((event) => {
          return (
            <li key={event.id}>
              <time className="meta" dateTime={event.occurred_at}>
                {format.fullTime(event.occurred_at)}
              </time>
              <div>
                <Retractable event={event}>
                  <EventName type={event.type} isRecovery={event.isRecovery} /> {reasonOf(event, words, format)}
                </Retractable>
                <Followed event={event} />
                {event.readings.length > 0 && <EventReadings event={event} words={words} format={format} />}
              </div>
            </li>
          );
        })}
      </ul>
      {joined.length > count && (
        <button type="button" className="button" onClick={() => setCount(count + 5 * STEP)}>
          {words.tank.olderEvents}
        </button>
      )}
    </>
  );
}

function EventReadings({ event, words, format }: { event: ChartEvent; words: Translation; format: Format }) {
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
