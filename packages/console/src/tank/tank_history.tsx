import type { Series, TankStatus } from '@tankwatch/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { Link } from 'wouter';
import { fleet } from '../api.ts';
import { chartPoints } from '../chart/chart_data.ts';
import { csvOf, download } from '../csv.ts';
import type { ChartEvent } from '../events/event_data.ts';
import { DAY_MS, MINUTE_MS } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { lazyComponent } from '../parts/lazy_component.tsx';
import { ProblemNotice } from '../parts/problem.tsx';
import { useTranslation } from '../preferences_and_words.tsx';
import { isLosing } from '../status.ts';
import type { Translation } from '../translations/translation.ts';
import { useUrlState } from '../url_state.ts';
import { DateRange } from './date_range.tsx';

/** The chart is loaded with the first tank that is opened, and not with the list. */
const loadChart = async () => (await import('../chart/level_chart.tsx')).LevelChart;
const LevelChart = lazyComponent(loadChart, <div className="chart-space" />);

const RANGE_DAYS = { '7d': 7, '30d': 30, '90d': 90, '1y': 365, all: null } as const;
type RangeName = keyof typeof RANGE_DAYS;
const RANGES: readonly RangeName[] = ['7d', '30d', '90d', '1y', 'all'];
const BUCKETS = 600;

/** The series of the range in the URL. By default, a tank that loses gas shows 7 days, other tanks 90 days. */
export function useTankSeries(id: string, isLeaking: boolean) {
  const defaultRange: RangeName = isLeaking ? '7d' : '90d';
  const { given } = useUrlState();
  const [from, to] = [parseTime(given.get('from')), parseTime(given.get('to'))];
  const isZoomed = from !== undefined && to !== undefined && from < to;
  const range = isZoomed ? undefined : (RANGES.find((name) => name === given.get('range')) ?? defaultRange);
  useEffect(() => {
    loadChart().catch(() => undefined); // the chart reports the error
  }, []);
  const query = useQuery({
    queryKey: ['tank', id, 'series', range, isZoomed ? [from, to] : null],
    queryFn: async ({ signal }) => {
      if (isZoomed) return fleet.series(id, { from: new Date(from), to: new Date(to), buckets: BUCKETS }, { signal });
      const days = RANGE_DAYS[range ?? defaultRange];
      const start = days === null ? await firstReading(id, signal) : new Date(Date.now() - days * DAY_MS);
      const series = await fleet.series(id, { from: start, buckets: BUCKETS }, { signal });
      const firstMs = Date.parse(series.first_reading_at ?? series.from);
      // A range that begins before the first reading is shortened. Otherwise the chart of a new tank is mostly empty.
      return firstMs - 1 > start.getTime()
        ? fleet.series(id, { from: new Date(firstMs - 1), buckets: BUCKETS }, { signal })
        : series;
    },
    placeholderData: keepPreviousData,
  });
  return { query, range, defaultRange, isZoomed };
}

export function TankHistory({ status, events }: { status: TankStatus; events: readonly ChartEvent[] }) {
  const { chart, print, csv } = useTranslation();
  const { href, change } = useUrlState();
  const { query, range, defaultRange, isZoomed } = useTankSeries(status.tank.id, isLosing(status));
  const { data, error, refetch } = query;
  // The chart leaves out retracted events. The list is memoized, so that the chart is drawn again only after a change.
  const shownEvents = useMemo(() => events.filter(({ retracted_at }) => retracted_at === null), [events]);

  const zoomTo = (fromMs: number, toMs: number): void =>
    change({ range: undefined, from: isoMinute(fromMs), to: isoMinute(toMs) }, { replace: isZoomed });
  return (
    <section aria-label={chart.label}>
      <nav className="ranges" aria-label={chart.rangeLabel}>
        {RANGES.map((name) => (
          <Link
            key={name}
            href={href({ range: name === defaultRange ? undefined : name, from: undefined, to: undefined })}
            aria-current={name === range ? 'true' : undefined}
          >
            {chart.ranges[name]}
          </Link>
        ))}
        {isZoomed && <Link href={href({ from: undefined, to: undefined })}>{chart.reset}</Link>}
        <DateRange
          fromMs={data === undefined ? undefined : Date.parse(data.from)}
          toMs={data === undefined ? undefined : Date.parse(data.to)}
          onChange={zoomTo}
        />
        <span className="actions">
          <Button onClick={() => window.print()}>{print}</Button>
          <Button
            disabled={data === undefined}
            onClick={() => data !== undefined && download('readings.csv', seriesCsv(data, chart))}
          >
            {csv}
          </Button>
        </span>
      </nav>
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        <div className="chart-space" />
      ) : (
        <LevelChart status={status} series={data} events={shownEvents} onZoom={zoomTo} />
      )}
    </section>
  );
}

/** The values of the chart as CSV. Times are in UTC, as in the interface. */
function seriesCsv(series: Series, chart: Translation['chart']): string {
  const known = chartPoints(series).filter(({ level }) => level !== null);
  const rows = known.map(({ ms, level, low, high }) => [
    new Date(ms).toISOString(),
    level ?? '',
    low ?? '',
    high ?? '',
  ]);
  return csvOf([[chart.time, chart.level, chart.lowest, chart.highest], ...rows]);
}

async function firstReading(id: string, signal: AbortSignal): Promise<Date> {
  // Every series contains the time of the first reading. The shortest range costs least.
  const from = new Date(Date.now() - MINUTE_MS);
  const { first_reading_at } = await fleet.series(id, { from, buckets: 1 }, { signal });
  return new Date(first_reading_at === null ? Date.now() - DAY_MS : Date.parse(first_reading_at) - 1);
}

function parseTime(text: string | null): number | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

const isoMinute = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16)}Z`;
