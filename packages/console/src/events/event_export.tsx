import type { ListHistoryParameters } from '@tankwatch/client';
import { useState } from 'react';
import { zonedDate } from '../../../../src/values/zoned_time.ts';
import { BROWSER_ZONE } from '../organization.ts';
import { BY_MONTH } from '../parts/usage_bars.tsx';
import { useTranslation } from '../preferences_and_words.tsx';

interface EventExportProps {
  type: ListHistoryParameters['type'];
  customer: string | undefined;
  /** The proposed first day. */
  fromMs: number;
}

/** A CSV file of the events from one day to another, both included, in the time zone of the viewer. */
export function EventExport({ type, customer, fromMs }: EventExportProps) {
  const { history: texts, chart } = useTranslation();
  const [chosenFrom, setFrom] = useState<string>();
  const [to, setTo] = useState(() => dayOf(Date.now()));
  const from = chosenFrom ?? dayOf(fromMs);
  return (
    <details className="export">
      <summary className="button">{texts.csv}</summary>
      <div className="export-form">
        <label>
          <span className="meta">{chart.from}</span>
          <input type="date" required value={from} max={to} onChange={({ target }) => setFrom(target.value)} />
        </label>
        <label>
          <span className="meta">{chart.to}</span>
          <input type="date" required value={to} min={from} onChange={({ target }) => setTo(target.value)} />
        </label>
        {from !== '' && to !== '' && from <= to && (
          <a className="button primary" href={eventsCsv({ type, customer, from, to })} download>
            {texts.download}
          </a>
        )}
      </div>
    </details>
  );
}

interface EventFile extends Pick<EventExportProps, 'type' | 'customer'> {
  /** The first and the last day, such as 2026-11-17. */
  from: string;
  to: string;
}

/** The URL of a file. The days are in the time zone of the viewer. */
export function eventsCsv({ type, customer, from, to }: EventFile): string {
  const [year = 0, month = 1, day = 1] = to.split('-').map(Number);
  const search = new URLSearchParams({
    from: new Date(`${from}T00:00:00`).toISOString(),
    to: new Date(year, month - 1, day + 1).toISOString(),
    zone: BY_MONTH.zone,
  });
  if (type !== undefined) search.set('type', type);
  if (customer !== undefined) search.set('owner_id', customer);
  return `/fleet/v1/events.csv?${search}`;
}

/** The day of a time in the time zone of the browser, such as 2026-11-17. */
export const dayOf = (ms: number): string => zonedDate(ms, BROWSER_ZONE);
