export interface Place {
  latitude: number;
  longitude: number;
}

/** The center of the map, and its zoom as in the service: at zoom 0 the world is 256 pixels wide. */
export interface MapView extends Place {
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

/** The text of the view in the URL of the page. */
export const viewText = ({ latitude, longitude, zoom }: MapView): string =>
  `${latitude.toFixed(5)},${longitude.toFixed(5)},${zoom.toFixed(1)}`;

export function viewOf(text: string | null): MapView | undefined {
  const [latitude = Number.NaN, longitude = Number.NaN, zoom = Number.NaN] = (text ?? '')
    .split(',')
    .map(Number.parseFloat);
  const isView = Math.abs(latitude) <= 85 && Math.abs(longitude) <= 180 && zoom >= 1 && zoom <= MAX_ZOOM;
  return isView ? { latitude, longitude, zoom } : undefined;
}

/** The area in the form that the service accepts. A map of the whole world may have edges beyond 180 or 90 degrees. */
export function areaText({ west, south, east, north }: Area): string {
  const longitude = (degrees: number): string => Math.max(-180, Math.min(180, degrees)).toFixed(5);
  const latitude = (degrees: number): string => Math.max(-90, Math.min(90, degrees)).toFixed(5);
  return [longitude(west), latitude(south), longitude(east), latitude(north)].join(',');
}

/** The area with a margin of a quarter on each side, so that a short move needs no new request. */
export function widened({ west, south, east, north }: Area): Area {
  const [x, y] = [(east - west) / 4, (north - south) / 4];
  return { west: west - x, south: south - y, east: east + x, north: north + y };
}
