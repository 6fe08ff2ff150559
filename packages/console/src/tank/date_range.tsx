import { dayOf } from '../events/event_export.tsx';
import { useTranslation } from '../preferences_and_words.tsx';

interface DateRangeProps {
  fromMs: number | undefined;
  toMs: number | undefined;
  onChange: (fromMs: number, toMs: number) => void;
}

/** The first and the last day of the chart, in the time zone of the viewer. */
export function DateRange({ fromMs, toMs, onChange }: DateRangeProps) {
  const { chart } = useTranslation();
  const change = (from: string, to: string): void => {
    const [start, end] = [Date.parse(`${from}T00:00:00`), Date.parse(`${to}T23:59:59`)];
    if (start < end) onChange(start, Math.min(end, Date.now()));
  };
  const from = fromMs === undefined ? '' : dayOf(fromMs);
  const to = toMs === undefined ? '' : dayOf(toMs);
  return (
    <span className="date-range">
      <input
        type="date"
        key={`from ${from}`}
        aria-label={chart.from}
        title={chart.from}
        defaultValue={from}
        max={to}
        onBlur={({ target }) => target.value !== '' && target.value !== from && change(target.value, to)}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
      />
      –
      <input
        type="date"
        key={`to ${to}`}
        aria-label={chart.to}
        title={chart.to}
        defaultValue={to}
        min={from}
        onBlur={({ target }) => target.value !== '' && target.value !== to && change(from, target.value)}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
      />
    </span>
  );
}
