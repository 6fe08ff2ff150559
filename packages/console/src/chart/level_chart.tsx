import type { Series, TankStatus } from '@tankwatch/client';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ChartEvent } from '../events/event_data.ts';
import { usePreferences } from '../preferences_and_words.tsx';
import { unreliableFromMs } from '../status.ts';
import { useThemeChanges } from '../theme_color.ts';
import { type ChartPoint, chartPoints, forecastCone } from './chart_data.ts';
import { chartSummary } from './chart_summary.ts';
import { plotOptions } from './plot_options.ts';
import { ReadingTable } from './reading_table.tsx';
import '../styles/chart.css';
import { Button } from '../parts/button.tsx';
import { addTouchZoom } from './touch_zoom.ts';

interface LevelChartProps {
  status: TankStatus;
  series: Series;
  events: readonly ChartEvent[];
  onZoom: (fromMs: number, toMs: number) => void;
}

const MIN_RANGE_MS = 3_600_000;

/**
 * The level over time, with silences, refills, losses, threshold and forecast. It can be read without a pointer (arrow
 * keys move from reading to reading) and without a picture (T shows a table).
 */
export function LevelChart({ status, series, events, onZoom }: LevelChartProps) {
  const { words, format, theme } = usePreferences();
  const [isTable, setIsTable] = useState(false);
  const [readout, setReadout] = useState('');
  const [width, setWidth] = useState(0);
  const themeCount = useThemeChanges();
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const index = useRef<number | null>(null);

  const points = useMemo(() => chartPoints(series), [series]);
  const unreliableMs = unreliableFromMs(status);
  const summary = useMemo(
    () => chartSummary(points, events, words, format, unreliableMs),
    [points, events, words, format, unreliableMs],
  );
  const fromMs = Date.parse(series.from);
  const toMs = Date.parse(series.to);

  const describe = (pointIndex: number | null): string => {
    const found = pointIndex === null ? undefined : points[pointIndex];
    if (found?.level === null || found === undefined) return '';
    const [time, level] = [format.fullTime(found.ms), format.exactPercent(found.level)];
    return series.readings !== null || found.low === null || found.high === null || found.low === found.high
      ? words.chart.at(time, level)
      : words.chart.atBucket(time, level, format.exactPercent(found.low), format.exactPercent(found.high));
  };
  const describeLatest = useRef(describe);
  const zoomLatest = useRef(onZoom);
  useEffect(() => {
    describeLatest.current = describe;
    zoomLatest.current = onZoom;
  });

  useEffect(() => {
    if (holder.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(holder.current);
    return () => observer.disconnect();
  }, [isTable]);

  useEffect(() => {
    if (holder.current === null || width === 0 || isTable) return undefined;
    const nowMs = Date.now();
    const cone = forecastCone(status, nowMs);
    const reachesNow = toMs >= nowMs - 600_000;
    const options = plotOptions({
      width,
      height: width < 600 ? 220 : 320,
      fromMs,
      toMs: reachesNow && cone !== null ? Math.max(toMs, Math.min(cone.toMs, toMs + (toMs - fromMs) / 2)) : toMs,
      drawn: { status, gaps: series.gaps, events, cone: reachesNow ? cone : null, nowMs, words, format },
      onZoom: (from, to) => zoomLatest.current(from, to),
      onCursor(pointIndex) {
        index.current = pointIndex;
        setReadout(describeLatest.current(pointIndex));
      },
    });
    const chart = new uPlot(options, columns(points, unreliableMs ?? Number.POSITIVE_INFINITY), holder.current);
    plot.current = chart;
    addTouchZoom(chart, (from, to) => zoomLatest.current(from, to));
    return () => {
      chart.destroy();
      plot.current = null;
    };
  }, [points, events, series, status, fromMs, toMs, unreliableMs, width, isTable, words, format, theme, themeCount]);

  const zoom = (factor: number): void => {
    const center = points[index.current ?? -1]?.ms ?? (fromMs + toMs) / 2;
    const half = Math.max(MIN_RANGE_MS, (toMs - fromMs) * factor) / 2;
    onZoom(center - half, Math.min(Date.now(), center + half));
  };
  const move = (step: number): void => {
    const known = points.flatMap(({ level }, pointIndex) => (level === null ? [] : [pointIndex]));
    const from = index.current ?? points.length;
    const before = known.filter((pointIndex) => pointIndex < from).length;
    const isAtReading = known[before] === from; // otherwise in a silence, or nowhere yet
    const position = before + step - (!isAtReading && step > 0 ? 1 : 0);
    const next = known[Math.min(known.length - 1, Math.max(0, position))];
    const target = next === undefined ? undefined : points[next];
    if (next === undefined || target?.level === undefined || target.level === null) return;
    index.current = next;
    const u = plot.current;
    u?.setCursor({ left: u.valToPos(target.ms / 1_000, 'x'), top: u.valToPos(target.level, 'y') });
    setReadout(describe(next));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const actions: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => move(event.shiftKey ? -10 : -1),
      ArrowRight: () => move(event.shiftKey ? 10 : 1),
      '+': () => zoom(0.5),
      '-': () => zoom(2),
      t: () => setIsTable((before) => !before),
      T: () => setIsTable((before) => !before),
    };
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  };

  return (
    <figure
      className="chart"
      // A chart that handles keys must be reachable with the keyboard.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      aria-label={`${words.chart.label}. ${summary} ${words.chart.keys}`}
      data-segments={segmentCount(points)}
      onKeyDown={onKeyDown}
    >
      <figcaption>
        <span>{summary}</span>
        <span className="readout" role="status">
          {readout}
        </span>
        <span className="chart-buttons">
          <Button aria-label={`${words.chart.label} +`} onClick={() => zoom(0.5)}>
            +
          </Button>
          <Button aria-label={`${words.chart.label} −`} onClick={() => zoom(2)}>
            −
          </Button>
          <Button aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
            {words.chart.table}
          </Button>
        </span>
      </figcaption>
      {isTable ? (
        <ReadingTable points={points} isBucketed={series.readings === null} />
      ) : (
        <div ref={holder} className="plot" aria-hidden="true" />
      )}
      <p className="meta chart-keys">{words.chart.keys}</p>
    </figure>
  );
}

/** The last point before the gauge became unreliable is on both lines, so that the lines join. */
const columns = (points: readonly ChartPoint[], unreliableMs: number): uPlot.AlignedData => [
  points.map(({ ms }) => ms / 1_000),
  points.map(({ ms, level }) => (ms < unreliableMs ? level : null)),
  points.map(({ low }) => low),
  points.map(({ high }) => high),
  points.map(({ level }, index) => ((points[index + 1]?.ms ?? points[index]?.ms ?? 0) >= unreliableMs ? level : null)),
];

/** Number of unbroken lines. */
function segmentCount(points: readonly ChartPoint[]): number {
  return points.filter(({ level }, index) => level !== null && (points[index - 1]?.level ?? null) === null).length;
}
