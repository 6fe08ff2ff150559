/** What the map shows: the place in its middle, and its zoom as the service counts it, with a world of 256 pixels at zoom 0. */
export interface MapView {
  latitude: number;
  longitude: number;
  zoom: number;
}

/** An area in degrees. */
export interface Area {
  west: number;
  south: number;
  east: number;
  north: number;
}

export const MAX_ZOOM = 20;

/** Writes the view into the URL of the page. */
export const viewText = ({ latitude, longitude, zoom }: MapView): string =>
  `${latitude.toFixed(5)},${longitude.toFixed(5)},${zoom.toFixed(1)}`;

export function viewOf(text: string | null): MapView | undefined {
  const [latitude = Number.NaN, longitude = Number.NaN, zoom = Number.NaN] = (text ?? '')
    .split(',')
    .map(Number.parseFloat);
  const isView = Math.abs(latitude) <= 85 && Math.abs(longitude) <= 180 && zoom >= 1 && zoom <= MAX_ZOOM;
  return isView ? { latitude, longitude, zoom } : undefined;
}

/** The area in the form that the service accepts. A map of the whole world may show more than the world. */
export function areaText({ west, south, east, north }: Area): string {
  const longitude = (degrees: number): string => Math.max(-180, Math.min(180, degrees)).toFixed(5);
  const latitude = (degrees: number): string => Math.max(-90, Math.min(90, degrees)).toFixed(5);
  return [longitude(west), latitude(south), longitude(east), latitude(north)].join(',');
}

/** The area with a margin of a quarter on each side, so that a short move needs nothing new. */
export function widened({ west, south, east, north }: Area): Area {
  const [x, y] = [(east - west) / 4, (north - south) / 4];
  return { west: west - x, south: south - y, east: east + x, north: north + y };
}
