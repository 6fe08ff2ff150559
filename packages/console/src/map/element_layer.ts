import type { Map as MapLibreMap } from 'maplibre-gl';
import type { Place } from './map_view.ts';

/** An element whose center is at a place on the map. */
export interface PlacedElement extends Place {
  element: HTMLElement;
  /** The distance from the place in pixels. */
  offset: readonly [x: number, y: number];
}

/** An element that is further than this outside the map is not drawn. */
const OUTSIDE_PIXELS = 60;

/**
 * Shows HTML elements over the map, so that marks have the colors of the theme and sharp texts. Keyboards and screen
 * readers use a list or a table beside the map instead.
 */
export class ElementLayer {
  readonly #map: MapLibreMap;
  readonly #layer = document.createElement('div');
  #placed: readonly PlacedElement[] = [];

  constructor(map: MapLibreMap) {
    this.#map = map;
    this.#layer.className = 'map-marks';
    this.#layer.setAttribute('aria-hidden', 'true');
    // The layer is inside the element that handles dragging, so that a person can begin to drag on a mark.
    map.getCanvasContainer().append(this.#layer);
    map.on('move', () => this.#place());
    map.on('resize', () => this.#place());
  }

  /** Replaces the elements. Elements that are in both lists stay in the document. */
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
