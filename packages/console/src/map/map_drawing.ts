import type { FleetMap } from '@tankwatch/client';
import { FILLED_MARKS, MARK_PATHS } from '../parts/marks.tsx';
import type { StatusName } from '../status.ts';
import { themeColor } from '../theme_color.ts';
import { type Box, type Center, nearestFreeBox } from './free_box.ts';
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

const boxOf = ({ px, py, radius }: ScreenCell): Box => ({
  left: px - radius,
  right: px + radius,
  top: py - radius,
  bottom: py + radius,
});

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
  const taken = shown.map(boxOf);
  for (const cell of shown) drawWorst(ctx, cell, map, taken);
  drawPlaces(ctx, map, taken);
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

/** The mark of the worst status beside its cell, with the number of its tanks: colour alone says nothing. */
function drawWorst(ctx: CanvasRenderingContext2D, shown: ScreenCell, map: DrawnMap, taken: Box[]): void {
  const { cell, tanks, px, py, radius } = shown;
  const worst = shownStatuses(map).find(({ name }) => name !== 'soon' && cell.counts[name] > 0);
  if (worst === undefined) return;
  const count = tanks > 1 ? map.count(cell.counts[worst.name]) : '';
  ctx.font = '600 11px system-ui, "DejaVu Sans", sans-serif';
  const size = { width: 16 + (count === '' ? 0 : 3 + ctx.measureText(count).width), height: MARK_HEIGHT };
  const [aside, above] = [radius + size.width / 2 + 1, radius + MARK_HEIGHT / 2 + 2];
  const centers: Center[] = [
    [px, py + above],
    [px, py - above],
    [px + aside, py],
    [px - aside, py],
  ];
  const box = nearestFreeBox(centers, size, taken);
  taken.push(box);
  drawMark(ctx, worst.name, box, count);
}

const MARK_HEIGHT = 14;

function drawMark(ctx: CanvasRenderingContext2D, name: StatusName, box: Box, count: string): void {
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  ctx.fillStyle = themeColor('bg');
  ctx.globalAlpha = 0.85;
  ctx.fillRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
  ctx.globalAlpha = 1;
  ctx.fillStyle = themeColor('ink');
  ctx.strokeStyle = themeColor('ink');
  ctx.fillText(count, box.left + 17, box.top + MARK_HEIGHT / 2 + 0.5);
  ctx.save();
  ctx.translate(box.left + 2, box.top + 1);
  ctx.lineWidth = 1.5;
  if (FILLED_MARKS.has(name)) ctx.fill(markPath(name));
  else ctx.stroke(markPath(name));
  ctx.restore();
}

/** How far from the middle of a town its name may be, the nearest first. */
const NAME_OFFSETS: readonly Center[] = [0, -1, 1, -2, 2, -3, 3]
  .flatMap((column) => Array.from({ length: 15 }, (_, row): Center => [column * 30, (row - 7) * 14]))
  .toSorted((a, b) => Math.hypot(...a) - Math.hypot(...b));

/** Names of towns, as near as they fit without covering a cell, a mark or another name. */
function drawPlaces(ctx: CanvasRenderingContext2D, map: DrawnMap, taken: Box[]): void {
  ctx.font = '12px system-ui, "DejaVu Sans", sans-serif';
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.lineWidth = 3;
  ctx.lineJoin = 'round';
  ctx.strokeStyle = themeColor('bg');
  ctx.fillStyle = themeColor('ink');
  for (const place of map.places) {
    const [px, py] = screenPoint(map.view, map.size, place);
    const size = { width: ctx.measureText(place.city).width + 4, height: 14 };
    const centers = NAME_OFFSETS.map(([x, y]): Center => [px + x, py + y]);
    const box = nearestFreeBox(centers, size, taken);
    taken.push(box);
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    ctx.strokeText(place.city, x, y);
    ctx.fillText(place.city, x, y);
  }
}

function circle(ctx: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
}
