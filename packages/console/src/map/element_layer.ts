import type { Map as MapLibreMap } from 'maplibre-gl';

/** An element that stands with its middle on a place. */
export interface PlacedElement {
  element: HTMLElement;
  latitude: number;
  longitude: number;
  /** Pixels from its place. */
  offset: readonly [x: number, y: number];
}

/** An element so far outside of the map is not drawn. */
const OUTSIDE_PIXELS = 60;

/**
 * Elements over the map, so that marks have the colours of the theme and sharp texts. A list or a table beside the map is the
 * way for keyboards and screen readers.
 */
export class ElementLayer {
  readonly #map: MapLibreMap;
  readonly #layer = document.createElement('div');
  #placed: readonly PlacedElement[] = [];

  constructor(map: MapLibreMap) {
    this.#map = map;
    this.#layer.className = 'map-marks';
    this.#layer.setAttribute('aria-hidden', 'true');
    // Inside of the element whose events move the map: dragging may begin on a mark.
    map.getCanvasContainer().append(this.#layer);
    map.on('move', () => this.#place());
    map.on('resize', () => this.#place());
  }

  /** Replaces the elements. Those that stay are not touched. */
  show(placed: readonly PlacedElement[]): void {
    const kept = new Set(placed.map(({ element }) => element));
    for (const { element } of this.#placed) if (!kept.has(element)) element.remove();
    this.#placed = placed;
    this.#layer.append(...[...kept].filter((element) => !element.isConnected));
    this.#place();
  }

  #place(): void {
    const { clientWidth, clientHeight } = this.#map.getContainer();
    for (const { element, latitude, longitude, offset } of this.#placed) {
      const { x, y } = this.#map.project([longitude, latitude]);
      const [left, top] = [x + offset[0], y + offset[1]];
      element.hidden =
        left < -OUTSIDE_PIXELS ||
        top < -OUTSIDE_PIXELS ||
        left > clientWidth + OUTSIDE_PIXELS ||
        top > clientHeight + OUTSIDE_PIXELS;
      element.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px) translate(-50%, -50%)`;
    }
  }
}
