import type { FleetMap } from '@tankwatch/client';
import { FILLED_MARKS, MARK_PATHS } from '../parts/marks.tsx';
import type { StatusName } from '../status.ts';
import { themeColor } from '../theme_color.ts';
import { areaOf, type Size, type View, worldPixels, worldX, worldY } from './mercator.ts';
import type { Outline } from './outlines.ts';

export type Cell = FleetMap['cells'][number];
export type Place = FleetMap['places'][number];

/** The statuses that colour a cell, the most important first. A healthy tank has no colour but that of its level. */
const COLORED: readonly { name: StatusName; color: string }[] = [
  { name: 'losing', color: 'losing' },
  { name: 'low', color: 'low' },
  { name: 'silent', color: 'silent' },
  { name: 'soon', color: 'soon' },
];

export interface DrawnMap {
  view: View;
  size: Size;
  outlines: readonly Outline[];
  cells: readonly Cell[];
  places: readonly Place[];
  /** Only tanks with this status count. */
  status: StatusName | undefined;
  count: (value: number) => string;
}

export interface ScreenCell {
  cell: Cell;
  tanks: number;
  px: number;
  py: number;
  radius: number;
}

export const tanksOf = ({ tanks, counts }: Pick<Cell, 'tanks' | 'counts'>, status: StatusName | undefined): number =>
  status === undefined ? tanks : counts[status];

/** Where the cells are on the screen, in pixels from the left and the top. */
export function screenCells({ view, size, cells, status }: DrawnMap): ScreenCell[] {
  return cells.flatMap((cell) => {
    const tanks = tanksOf(cell, status);
    if (tanks === 0) return [];
    const [px, py] = screenPoint(view, size, cell);
    return [{ cell, tanks, px, py, radius: tanks === 1 ? 8 : Math.min(26, 11 + 2 * Math.log2(tanks)) }];
  });
}

function screenPoint(
  view: View,
  { width, height }: Size,
  place: { latitude: number; longitude: number },
): [number, number] {
  const pixels = worldPixels(view.zoom);
  return [
    width / 2 + (worldX(place.longitude) - view.x) * pixels,
    height / 2 + (worldY(place.latitude) - view.y) * pixels,
  ];
}

export function drawMap(ctx: CanvasRenderingContext2D, map: DrawnMap): void {
  const ratio = window.devicePixelRatio;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.fillStyle = themeColor('surface');
  ctx.fillRect(0, 0, map.size.width, map.size.height);
  drawLand(ctx, map, ratio);
  drawGrid(ctx, map);
  const shown = screenCells(map);
  // Small cells last, so that a large one does not cover them.
  for (const cell of shown.toSorted((a, b) => b.radius - a.radius)) drawCell(ctx, cell, map);
  for (const cell of shown) drawWorst(ctx, cell, map);
  drawPlaces(ctx, map, shown);
}

function drawLand(ctx: CanvasRenderingContext2D, { view, size, outlines }: DrawnMap, ratio: number): void {
  const pixels = worldPixels(view.zoom);
  const [halfWidth, halfHeight] = [size.width / 2 / pixels, size.height / 2 / pixels];
  const scale = pixels * ratio;
  ctx.save();
  ctx.setTransform(
    scale,
    0,
    0,
    scale,
    (size.width / 2) * ratio - view.x * scale,
    (size.height / 2) * ratio - view.y * scale,
  );
  ctx.fillStyle = themeColor('bg');
  ctx.strokeStyle = themeColor('border');
  ctx.lineWidth = 1 / pixels;
  for (const { path, west, east, north, south } of outlines) {
    const isVisible =
      west < view.x + halfWidth &&
      east > view.x - halfWidth &&
      north < view.y + halfHeight &&
      south > view.y - halfHeight;
    if (!isVisible) continue;
    ctx.fill(path);
    ctx.stroke(path);
  }
  ctx.restore();
}

/** Lines of longitude and latitude: without a coast in view, they show how the map moves. */
function drawGrid(ctx: CanvasRenderingContext2D, { view, size }: DrawnMap): void {
  const [west, south, east, north] = areaOf(view, size);
  const step = GRID_DEGREES.find((degrees) => (east - west) / degrees <= 8) ?? 30;
  ctx.strokeStyle = themeColor('border');
  ctx.lineWidth = 1;
  ctx.globalAlpha = 0.5;
  ctx.beginPath();
  for (let longitude = Math.ceil(west / step) * step; longitude <= east; longitude += step) {
    const [x] = screenPoint(view, size, { latitude: 0, longitude });
    ctx.moveTo(x, 0);
    ctx.lineTo(x, size.height);
  }
  for (let latitude = Math.ceil(south / step) * step; latitude <= north; latitude += step) {
    const [, y] = screenPoint(view, size, { latitude, longitude: 0 });
    ctx.moveTo(0, y);
    ctx.lineTo(size.width, y);
  }
  ctx.stroke();
  ctx.globalAlpha = 1;
}

const GRID_DEGREES = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30] as const;

function drawCell(ctx: CanvasRenderingContext2D, { cell, tanks, px, py, radius }: ScreenCell, map: DrawnMap): void {
  circle(ctx, px, py, radius);
  ctx.fillStyle = themeColor('bg');
  ctx.fill();
  ctx.lineWidth = 4;
  ctx.strokeStyle = themeColor('level');
  circle(ctx, px, py, radius - 2);
  ctx.stroke();
  let from = -Math.PI / 2;
  for (const { name, color } of shownStatuses(map)) {
    const share = Math.min(1, cell.counts[name] / tanks) * 2 * Math.PI;
    if (share === 0) continue;
    ctx.beginPath();
    ctx.arc(px, py, radius - 2, from, Math.min(from + share, 1.5 * Math.PI));
    ctx.strokeStyle = themeColor(color);
    ctx.stroke();
    from += share;
  }
  ctx.lineWidth = 1;
  ctx.strokeStyle = themeColor('ink');
  circle(ctx, px, py, radius);
  ctx.stroke();
  if (tanks > 1) {
    ctx.fillStyle = themeColor('ink');
    ctx.font = '600 12px system-ui, "DejaVu Sans", sans-serif';
    ctx.textAlign = 'center';
    ctx.textBaseline = 'middle';
    ctx.fillText(map.count(tanks), px, py + 0.5);
  }
}

const markPath = (name: StatusName): Path2D => new Path2D(MARK_PATHS[name]);

const shownStatuses = ({ status }: DrawnMap): typeof COLORED =>
  COLORED.filter(({ name }) => status === undefined || status === name);

function drawWorst(ctx: CanvasRenderingContext2D, { cell, tanks, px, py, radius }: ScreenCell, map: DrawnMap): void {
  const worst = shownStatuses(map).find(({ name }) => name !== 'soon' && cell.counts[name] > 0);
  if (worst === undefined) return;
  drawMark(ctx, worst.name, px, py + radius + 9, tanks > 1 ? map.count(cell.counts[worst.name]) : '');
}

/** The mark of the worst status below its cell, with the number of its tanks: colour alone says nothing. */
function drawMark(ctx: CanvasRenderingContext2D, name: StatusName, px: number, py: number, count: string): void {
  ctx.font = '600 11px system-ui, "DejaVu Sans", sans-serif';
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  const width = 12 + (count === '' ? 0 : 3 + ctx.measureText(count).width);
  const left = px - width / 2;
  ctx.fillStyle = themeColor('bg');
  ctx.globalAlpha = 0.85;
  ctx.fillRect(left - 2, py - 7, width + 4, 14);
  ctx.globalAlpha = 1;
  ctx.fillStyle = themeColor('ink');
  ctx.strokeStyle = themeColor('ink');
  ctx.fillText(count, left + 15, py + 0.5);
  ctx.save();
  ctx.translate(left, py - 6);
  ctx.lineWidth = 1.5;
  if (FILLED_MARKS.has(name)) ctx.fill(markPath(name));
  else ctx.stroke(markPath(name));
  ctx.restore();
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const isOverlapping = (box: Box, others: readonly Box[]): boolean =>
  others.some(
    (other) => box.left < other.right && box.right > other.left && box.top < other.bottom && box.bottom > other.top,
  );

/** How far from the middle of a town its name may be, in lines. */
const LINES = [0, -1, 1, -2, 2, -3, 3, -4, 4, -5, 5, -6, 6, -7, 7] as const;
const LINE_PIXELS = 14;

/** Names of towns, as near as they fit: none covers another one, and a cell only if there is no other place. */
function drawPlaces(ctx: CanvasRenderingContext2D, map: DrawnMap, cells: readonly ScreenCell[]): void {
  ctx.font = '12px system-ui, "DejaVu Sans", sans-serif';
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.lineWidth = 3;
  ctx.lineJoin = 'round';
  ctx.strokeStyle = themeColor('bg');
  ctx.fillStyle = themeColor('ink');
  const taken: Box[] = cells.map(({ px, py, radius }) => ({
    left: px - radius,
    right: px + radius,
    top: py - radius,
    bottom: py + radius + 16,
  }));
  const names: Box[] = [];
  for (const place of map.places) {
    const [px, py] = screenPoint(map.view, map.size, place);
    const half = ctx.measureText(place.city).width / 2 + 2;
    const boxes = LINES.map((line) => py + line * LINE_PIXELS).map((y) => ({
      left: px - half,
      right: px + half,
      top: y - 7,
      bottom: y + 7,
    }));
    const free = boxes.filter((box) => !isOverlapping(box, names));
    const box = free.find((one) => !isOverlapping(one, taken)) ?? free[0];
    if (box === undefined) continue;
    names.push(box);
    ctx.strokeText(place.city, px, box.top + 7);
    ctx.fillText(place.city, px, box.top + 7);
  }
}

function circle(ctx: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
}
