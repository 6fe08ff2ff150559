import type uPlot from 'uplot';
import { themeColor } from '../theme_color.ts';
import { type Drawn, drawBackground, drawForeground } from './chart_drawing.ts';
import { timeLabels } from './time_labels.ts';

interface PlotOptions {
  width: number;
  height: number;
  fromMs: number;
  toMs: number;
  drawn: Drawn;
  onZoom: (fromMs: number, toMs: number) => void;
  onCursor: (index: number | null) => void;
}

const AXIS_FONT = '12px system-ui, "DejaVu Sans", sans-serif';

/** The level from 0 to 100 % over time, always with the same scale, so that two tanks can be compared. */
export function plotOptions({ width, height, fromMs, toMs, drawn, onZoom, onCursor }: PlotOptions): uPlot.Options {
  const { format } = drawn;
  const level = themeColor('level');
  const axis = {
    stroke: () => themeColor('muted'),
    font: AXIS_FONT,
    grid: { stroke: () => themeColor('border'), width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height,
    legend: { show: false },
    scales: {
      x: { time: true, auto: false, min: fromMs / 1_000, max: toMs / 1_000 },
      y: { range: [0, 100] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 72,
        size: 32,
        values: (_u, splits, _axis, _space, step) => timeLabels(splits, step, format),
      },
      {
        ...axis,
        size: 52,
        splits: [0, 25, 50, 75, 100],
        values: (_u, splits) => splits.map((split) => format.percent(split)),
      },
    ],
    series: [
      {},
      { stroke: level, width: 2, spanGaps: false, points: { size: 5, fill: level } },
      { stroke: 'transparent', spanGaps: false, points: { show: false } },
      { stroke: 'transparent', spanGaps: false, points: { show: false } },
      // The line of an unreliable gauge.
      { stroke: themeColor('muted'), width: 1.5, dash: [3, 5], spanGaps: false, points: { show: false } },
    ],
    bands: [{ series: [3, 2], fill: withAlpha(level, 0.2) }],
    cursor: {
      drag: { x: true, y: false, setScale: false, dist: 5 },
      points: {
        show: (_u, series) => (series === 1 || series === 4 ? cursorPoint(level) : document.createElement('i')),
      },
      y: false,
    },
    hooks: {
      drawClear: [(u) => drawBackground(u, drawn)],
      draw: [(u) => drawForeground(u, drawn)],
      setCursor: [(u) => onCursor(u.cursor.idx ?? null)],
      setSelect: [
        (u) => {
          if (u.select.width < 5) return;
          const timeAt = (left: number): number => u.posToVal(left, 'x') * 1_000;
          onZoom(timeAt(u.select.left), timeAt(u.select.left + u.select.width));
        },
      ],
    },
  };
}

function cursorPoint(color: string): HTMLElement {
  const element = document.createElement('div');
  element.className = 'chart-cursor';
  element.style.background = color;
  return element;
}

const withAlpha = (rgb: string, alpha: number): string => rgb.replace(/^rgb\((.*)\)$/, `rgba($1, ${alpha})`);
