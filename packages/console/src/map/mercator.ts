/** The world as a square from 0 to 1, as in web maps: x to the east, y to the south. */
export interface WorldPoint {
  x: number;
  y: number;
}

/** What the map shows: the point in its middle, and its zoom. At zoom 0 the world is 256 pixels wide. */
export interface View extends WorldPoint {
  zoom: number;
}

export interface Size {
  width: number;
  height: number;
}

const TILE_PIXELS = 256;
/** Beyond it the projection has no end. */
const MAX_LATITUDE = 85.05;
export const MIN_ZOOM = 1;
export const MAX_ZOOM = 18;

export const worldX = (longitude: number): number => longitude / 360 + 0.5;

export function worldY(latitude: number): number {
  const radians = (Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, latitude)) * Math.PI) / 180;
  return 0.5 - Math.log(Math.tan(Math.PI / 4 + radians / 2)) / (2 * Math.PI);
}

export const longitudeOf = (x: number): number => (x - 0.5) * 360;
export const latitudeOf = (y: number): number =>
  (Math.atan(Math.exp((0.5 - y) * 2 * Math.PI)) * 2 - Math.PI / 2) * (180 / Math.PI);

/** Pixels of the whole world. */
export const worldPixels = (zoom: number): number => TILE_PIXELS * 2 ** zoom;

export const clampView = ({ x, y, zoom }: View): View => ({
  x: Math.min(1, Math.max(0, x)),
  y: Math.min(1, Math.max(0, y)),
  zoom: Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, zoom)),
});

/** Moves the map by pixels of the screen. */
export const panned = (view: View, dx: number, dy: number): View =>
  clampView({ ...view, x: view.x - dx / worldPixels(view.zoom), y: view.y - dy / worldPixels(view.zoom) });

/** Zooms so that the point under (px, py), from the middle of the map, stays where it is. */
export function zoomed(view: View, by: number, px = 0, py = 0): View {
  const { zoom } = clampView({ ...view, zoom: view.zoom + by });
  const [before, after] = [worldPixels(view.zoom), worldPixels(zoom)];
  return clampView({ x: view.x + px / before - px / after, y: view.y + py / before - py / after, zoom });
}

/** The area that the map shows, in degrees, as the service takes it. */
export function areaOf({ x, y, zoom }: View, { width, height }: Size): [number, number, number, number] {
  const pixels = worldPixels(zoom);
  const clamp = (value: number): number => Math.min(1, Math.max(0, value));
  return [
    longitudeOf(clamp(x - width / 2 / pixels)),
    latitudeOf(clamp(y + height / 2 / pixels)),
    longitudeOf(clamp(x + width / 2 / pixels)),
    latitudeOf(clamp(y - height / 2 / pixels)),
  ];
}

/** A view that shows all points with a margin. */
export function fitted(points: readonly WorldPoint[], { width, height }: Size): View {
  if (points.length === 0) return { x: 0.5, y: 0.45, zoom: MIN_ZOOM };
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [west, east, north, south] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const margin = 0.8;
  const widest = Math.min(
    (width * margin) / Math.max(east - west, 1e-9),
    (height * margin) / Math.max(south - north, 1e-9),
  );
  const zoom = Math.min(13, Math.log2(widest / TILE_PIXELS));
  return clampView({ x: (west + east) / 2, y: (north + south) / 2, zoom });
}

/** A round length of at most `maxPixels`, and how many pixels it is. */
export function scaleBar({ y, zoom }: View, maxPixels: number): { meters: number; pixels: number } {
  const latitude = (latitudeOf(y) * Math.PI) / 180;
  const metersPerPixel = (40_075_016.7 * Math.cos(latitude)) / worldPixels(zoom);
  const most = metersPerPixel * maxPixels;
  const power = 10 ** Math.floor(Math.log10(most));
  const meters = ([5, 2, 1].find((digit) => digit * power <= most) ?? 1) * power;
  return { meters, pixels: meters / metersPerPixel };
}
