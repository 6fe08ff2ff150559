import type { Series, TankStatus } from '@tankwatch/client';
import type uPlot from 'uplot';
import type { ChartEvent } from '../events/event_data.ts';
import { numberIn, unitIn } from '../events/event_values.ts';
import type { Format } from '../format.ts';
import { isLosing } from '../status.ts';
import { themeColor } from '../theme_color.ts';
import type { Translation } from '../translations/translation.ts';
import type { Cone } from './chart_data.ts';

export interface Drawn {
  status: TankStatus;
  gaps: Series['gaps'];
  events: readonly ChartEvent[];
  cone: Cone | null;
  nowMs: number;
  words: Translation;
  format: Format;
}

const ratio = (): number => window.devicePixelRatio;
const font = (): string => `${12 * ratio()}px system-ui, "DejaVu Sans", sans-serif`;

/** Draws in canvas pixels, clipped to the plotting area. */
function inside(u: uPlot, draw: (ctx: CanvasRenderingContext2D) => void): void {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.font = font();
  draw(ctx);
  ctx.restore();
}

const xOf = (u: uPlot, ms: number): number => u.valToPos(ms / 1_000, 'x', true);
const yOf = (u: uPlot, percent: number): number => u.valToPos(percent, 'y', true);

/** Draws below the line: silences, the time since which the gauge is unreliable, and the times when the tank was low. */
export function drawBackground(u: uPlot, { status, gaps, events, nowMs, words, format }: Drawn): void {
  inside(u, (ctx) => {
    const { top, height } = u.bbox;
    const threshold = yOf(u, status.tank.min_fill_alert_percentage);
    ctx.fillStyle = themeColor('low');
    ctx.globalAlpha = 0.08;
    for (const { fromMs, toMs } of lowPeriods(events, status, nowMs)) {
      const x = xOf(u, fromMs);
      ctx.fillRect(x, threshold, xOf(u, toMs) - x, top + height - threshold);
    }
    const hatched = gaps.map((gap) => {
      const [fromMs, toMs] = [Date.parse(gap.from), Date.parse(gap.to)];
      return { fromMs, toMs, text: words.chart.silent(format.duration(toMs - fromMs)) };
    });
    // The readings of an unreliable gauge are drawn, but not as a level.
    const { gauge_unreliable_since: since } = status;
    if (since !== null)
      hatched.push({ fromMs: Date.parse(since), toMs: nowMs, text: words.status.gauge_unreliable.toLowerCase() });
    for (const { fromMs, toMs, text } of hatched) {
      const [from, to] = [xOf(u, fromMs), xOf(u, toMs)];
      drawHatch(ctx, { left: from, top, width: to - from, height });
      if (ctx.measureText(text).width + 8 * ratio() > to - from) continue;
      ctx.globalAlpha = 1;
      ctx.fillStyle = themeColor('muted');
      ctx.textAlign = 'center';
      ctx.fillText(text, (from + to) / 2, top + 16 * ratio());
    }
  });
}

function drawHatch(
  ctx: CanvasRenderingContext2D,
  box: { left: number; top: number; width: number; height: number },
): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(box.left, box.top, box.width, box.height);
  ctx.clip();
  ctx.globalAlpha = 0.4;
  ctx.strokeStyle = themeColor('silent');
  ctx.lineWidth = ratio();
  ctx.beginPath();
  for (let x = box.left - box.height; x < box.left + box.width; x += 7 * ratio()) {
    ctx.moveTo(x, box.top + box.height);
    ctx.lineTo(x + box.height, box.top);
  }
  ctx.stroke();
  ctx.restore();
}

/** Times between a low event and the next recovery, from events that are newest first. */
function lowPeriods(
  events: readonly ChartEvent[],
  { low_since }: TankStatus,
  nowMs: number,
): { fromMs: number; toMs: number }[] {
  const periods: { fromMs: number; toMs: number }[] = [];
  let endMs = low_since === null ? null : nowMs;
  for (const { type, occurred_at } of events) {
    if (type === 'tank.fill_recovered') endMs = Date.parse(occurred_at);
    if (type !== 'tank.low_fill' || endMs === null) continue;
    periods.push({ fromMs: Date.parse(occurred_at), toMs: endMs });
    endMs = null;
  }
  return periods;
}

/** Draws above the line: threshold, now, forecast, refills, losses, and a reading that waits for confirmation. */
export function drawForeground(u: uPlot, drawn: Drawn): void {
  inside(u, (ctx) => {
    drawThreshold(u, ctx, drawn);
    drawNow(u, ctx, drawn);
    drawLosing(u, ctx, drawn.status);
    if (drawn.cone !== null) drawCone(u, ctx, drawn.cone, themeColor(isLosing(drawn.status) ? 'losing' : 'level'));
    // The left end of the labels that are drawn. The newest event is drawn first, at the right.
    let leftmost = Number.POSITIVE_INFINITY;
    for (const event of drawn.events) leftmost = drawEvent(u, ctx, event, { format: drawn.format, leftmost });
    drawUnconfirmed(u, ctx, drawn.status);
  });
}

function drawThreshold(u: uPlot, ctx: CanvasRenderingContext2D, { status, words, format }: Drawn): void {
  const { left, width } = u.bbox;
  const percent = status.tank.min_fill_alert_percentage;
  const y = yOf(u, percent);
  ctx.strokeStyle = themeColor('low');
  ctx.lineWidth = 1.5 * ratio();
  ctx.setLineDash([6 * ratio(), 4 * ratio()]);
  line(ctx, [left, y], [left + width, y]);
  ctx.setLineDash([]);
  ctx.fillStyle = themeColor('low');
  ctx.textAlign = 'left';
  const text = words.chart.threshold(format.percent(percent));
  const textWidth = ctx.measureText(text).width;
  const [start, end] = [left + 6 * ratio(), left + width - textWidth - 6 * ratio()];
  // The background of the label hides levels behind it, so the label is drawn at the first position without levels.
  const positions = [
    ...(percent >= 8 ? [{ x: start, isBelow: true }] : []),
    { x: start, isBelow: false },
    { x: end, isBelow: false },
  ];
  const free = positions.find(
    ({ x, isBelow }) => !hasLevels(u, [x, x + textWidth], isBelow ? [y, y + 20 * ratio()] : [y - 20 * ratio(), y]),
  );
  if (free === undefined) ctx.fillText(text, start, y - 6 * ratio());
  else label(ctx, text, free.x, y + (free.isBelow ? 15 : -6) * ratio());
}

/** Whether the line has points in this part of the canvas. */
function hasLevels(u: uPlot, [left, right]: [number, number], [top, bottom]: [number, number]): boolean {
  for (let index = u.posToIdx(left, true); index <= u.posToIdx(right, true); index++) {
    const level = u.data[1]?.[index];
    if (typeof level !== 'number') continue;
    const y = yOf(u, level);
    if (y > top && y < bottom) return true;
  }
  return false;
}

function drawNow(u: uPlot, ctx: CanvasRenderingContext2D, { nowMs, words }: Drawn): void {
  const x = xOf(u, nowMs);
  const { left, top, width, height } = u.bbox;
  if (x < left || x > left + width - 4 * ratio()) return;
  ctx.strokeStyle = themeColor('ink');
  ctx.lineWidth = ratio();
  line(ctx, [x, top], [x, top + height]);
  ctx.fillStyle = themeColor('muted');
  const hasRoom = x + 8 * ratio() + ctx.measureText(words.chart.now).width < left + width;
  ctx.textAlign = hasRoom ? 'left' : 'right';
  label(ctx, words.chart.now, x + (hasRoom ? 5 : -5) * ratio(), top + 14 * ratio());
}

/** The stretch of the line in which the tank loses gas, in the color of a loss. */
function drawLosing(u: uPlot, ctx: CanvasRenderingContext2D, { loss }: TankStatus): void {
  if (loss === null) return;
  const [times, levels] = [u.data[0], u.data[1]];
  const fromS = Date.parse(loss.began_at) / 1_000;
  ctx.strokeStyle = themeColor('losing');
  ctx.lineWidth = 2.5 * ratio();
  ctx.beginPath();
  let isDrawing = false;
  times.forEach((timeS, index) => {
    const level = levels?.[index];
    if (timeS < fromS || typeof level !== 'number') {
      isDrawing = false;
      return;
    }
    const [x, y] = [xOf(u, timeS * 1_000), yOf(u, level)];
    if (isDrawing) ctx.lineTo(x, y);
    else ctx.moveTo(x, y);
    isDrawing = true;
  });
  ctx.stroke();
}

function drawCone(u: uPlot, ctx: CanvasRenderingContext2D, cone: Cone, color: string): void {
  const start: [number, number] = [xOf(u, cone.fromMs), yOf(u, cone.level)];
  const end = ({ ms, level }: Cone['likely']): [number, number] => [xOf(u, ms), yOf(u, level)];
  ctx.fillStyle = color;
  ctx.globalAlpha = 0.18;
  ctx.beginPath();
  ctx.moveTo(...start);
  ctx.lineTo(...end(cone.slowest));
  // The outline follows the bottom if the fastest use empties the tank before the end of the slowest line.
  if (cone.fastest.ms < cone.slowest.ms) ctx.lineTo(...end({ ms: cone.slowest.ms, level: cone.fastest.level }));
  ctx.lineTo(...end(cone.fastest));
  ctx.closePath();
  ctx.fill();
  ctx.globalAlpha = 1;
  ctx.strokeStyle = color;
  ctx.lineWidth = 1.5 * ratio();
  ctx.setLineDash([4 * ratio(), 4 * ratio()]);
  line(ctx, start, end(cone.likely));
  ctx.setLineDash([]);
}

/** Returns the left end of the label of the event, so that the next label does not cover it. */
function drawEvent(
  u: uPlot,
  ctx: CanvasRenderingContext2D,
  event: ChartEvent,
  { format, leftmost }: { format: Format; leftmost: number },
): number {
  const x = xOf(u, Date.parse(event.occurred_at));
  const { left, width } = u.bbox;
  if (x < left || x > left + width) return leftmost;
  if (event.type === 'tank.rapid_loss') drawLoss(u, ctx, event, x);
  return event.type === 'tank.refilled' ? drawRefill(u, ctx, event, { x, format, leftmost }) : leftmost;
}

function drawRefill(
  u: uPlot,
  ctx: CanvasRenderingContext2D,
  { data }: ChartEvent,
  { x, format, leftmost }: { x: number; format: Format; leftmost: number },
): number {
  const size = 6 * ratio();
  const { left, top, width } = u.bbox;
  const y = Math.max(top + size * 2, yOf(u, numberIn(data, 'after_percentage')) - size);
  ctx.fillStyle = themeColor('refill');
  triangle(ctx, [x - size, y], [x + size, y], [x, y - size * 1.6]);
  const text = `+${format.volume(numberIn(data, 'delivered_volume'), unitIn(data))}`;
  const end = x + size * 1.7 + ctx.measureText(text).width;
  if (end > Math.min(leftmost - 2 * size, left + width)) return Math.min(leftmost, x - size);
  ctx.textAlign = 'left';
  ctx.fillText(text, x + size * 1.7, y);
  return x - size;
}

function drawLoss(u: uPlot, ctx: CanvasRenderingContext2D, { data }: ChartEvent, x: number): void {
  const size = 6 * ratio();
  const y = yOf(u, numberIn(data, 'to_percentage')) - size * 3;
  ctx.strokeStyle = themeColor('losing');
  ctx.lineWidth = 2 * ratio();
  for (const shift of [-size * 0.7, size * 0.7]) {
    line(ctx, [x + shift, y - size * 2], [x + shift, y + size]);
    line(ctx, [x + shift - size / 2, y + size / 2], [x + shift, y + size]);
    line(ctx, [x + shift + size / 2, y + size / 2], [x + shift, y + size]);
  }
}

function drawUnconfirmed(u: uPlot, ctx: CanvasRenderingContext2D, { reading }: TankStatus): void {
  if (reading === null || reading.is_confirmed) return;
  ctx.beginPath();
  ctx.arc(xOf(u, Date.parse(reading.created_at)), yOf(u, reading.fill_percentage), 4 * ratio(), 0, 2 * Math.PI);
  ctx.fillStyle = themeColor('bg');
  ctx.fill();
  ctx.strokeStyle = themeColor('level');
  ctx.lineWidth = 2 * ratio();
  ctx.stroke();
}

/** Draws a text with a background, so that it can be read on top of a line. */
function label(ctx: CanvasRenderingContext2D, text: string, x: number, y: number): void {
  const { width } = ctx.measureText(text);
  const left = ctx.textAlign === 'right' ? x - width : x;
  ctx.save();
  ctx.fillStyle = themeColor('bg');
  ctx.fillRect(left - 2 * ratio(), y - 12 * ratio(), width + 4 * ratio(), 15 * ratio());
  ctx.restore();
  ctx.fillText(text, x, y);
}

function line(ctx: CanvasRenderingContext2D, from: [number, number], to: [number, number]): void {
  ctx.beginPath();
  ctx.moveTo(...from);
  ctx.lineTo(...to);
  ctx.stroke();
}

function triangle(ctx: CanvasRenderingContext2D, ...[first, ...rest]: [[number, number], ...[number, number][]]): void {
  ctx.beginPath();
  ctx.moveTo(...first);
  for (const corner of rest) ctx.lineTo(...corner);
  ctx.fill();
}
