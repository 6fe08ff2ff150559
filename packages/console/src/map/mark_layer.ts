import type { FleetMap } from '@tankwatch/client';
import type { Map as MapLibreMap } from 'maplibre-gl';
import { FILLED_MARKS, MARK_PATHS } from '../parts/marks.tsx';
import type { StatusName } from '../status.ts';
import { type Box, freeBox } from './free_box.ts';
import { type Mark, radiusOf, worstOf } from './map_marks.ts';

type Place = FleetMap['places'][number];

interface Shown {
  element: HTMLElement;
  latitude: number;
  longitude: number;
  offset: readonly [x: number, y: number];
}
type ShownMark = Shown & { mark: Mark };

/** A mark or a name so far outside of the map is not drawn. */
const OUTSIDE_PIXELS = 60;

/** The worst is on top. */
const ORDER: readonly (StatusName | undefined)[] = [
  undefined,
  'refilled',
  'soon',
  'silent',
  'gauge_unreliable',
  'low',
  'losing',
];

/**
 * The marks of tanks and groups, and the names of towns: elements over the map, so that they have the colours of the theme and
 * sharp texts without fonts from a server. The list beside the map is the way for keyboards and screen readers.
 */
export class MarkLayer {
  readonly #map: MapLibreMap;
  readonly #layer = document.createElement('div');
  #marks = new Map<string, ShownMark>();
  #names: (Shown & { width: number })[] = [];

  constructor(map: MapLibreMap) {
    this.#map = map;
    this.#layer.className = 'map-marks';
    this.#layer.setAttribute('aria-hidden', 'true');
    // Inside of the element whose events move the map: dragging may begin on a mark.
    map.getCanvasContainer().append(this.#layer);
    map.on('move', () => this.#place());
    map.on('moveend', () => this.#placeNames());
    map.on('resize', () => this.#place());
  }

  show(marks: readonly Mark[], count: (tanks: number) => string): void {
    const before = this.#marks;
    this.#marks = new Map(
      marks.map((mark): [string, ShownMark] => {
        const { key, latitude, longitude, offset } = mark;
        const known = before.get(key);
        before.delete(key);
        const isSame = known !== undefined && JSON.stringify(known.mark) === JSON.stringify(mark);
        if (known !== undefined && !isSame) known.element.remove();
        return [key, isSame ? known : { mark, element: markElement(mark, count), latitude, longitude, offset }];
      }),
    );
    for (const { element } of before.values()) element.remove();
    this.#layer.append(...[...this.#marks.values()].map(({ element }) => element).filter((one) => !one.isConnected));
    this.#place();
    this.#placeNames();
  }

  /** The names of towns. Empty if the background has names. */
  showNames(places: readonly Place[]): void {
    for (const { element } of this.#names) element.remove();
    const shown = places.map(({ city, latitude, longitude }) => {
      const element = document.createElement('div');
      element.className = 'map-name';
      element.textContent = city;
      return { element, latitude, longitude, offset: [0, 0] as const };
    });
    this.#layer.prepend(...shown.map(({ element }) => element));
    this.#names = shown.map((one) => ({ ...one, width: one.element.offsetWidth }));
    this.#placeNames();
  }

  select(tankId: string | undefined): void {
    for (const { mark, element } of this.#marks.values())
      element.classList.toggle('selected', tankId !== undefined && mark.tankId === tankId);
  }

  /** The mark that an event was on. */
  markAt(target: EventTarget | null): Mark | undefined {
    const element = target instanceof Element ? target.closest<HTMLElement>('[data-mark]') : null;
    return this.#marks.get(element?.dataset['mark'] ?? '')?.mark;
  }

  #place(): void {
    for (const shown of this.#marks.values()) this.#placeOne(shown);
    for (const shown of this.#names) this.#placeOne(shown);
  }

  #placeOne({ element, latitude, longitude, offset }: Shown): void {
    const { x, y } = this.#map.project([longitude, latitude]);
    const { clientWidth, clientHeight } = this.#map.getContainer();
    const [left, top] = [x + offset[0], y + offset[1]];
    element.hidden =
      left < -OUTSIDE_PIXELS ||
      top < -OUTSIDE_PIXELS ||
      left > clientWidth + OUTSIDE_PIXELS ||
      top > clientHeight + OUTSIDE_PIXELS;
    element.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px) translate(-50%, -50%)`;
  }

  /** Draws each name as near to its town as fits without covering a mark or another name. A name that does not fit is left out. */
  #placeNames(): void {
    const taken: Box[] = [...this.#marks.values()]
      .filter(({ element }) => !element.hidden)
      .map(({ mark, latitude, longitude, offset }) => {
        const { x, y } = this.#map.project([longitude, latitude]);
        const radius = radiusOf(mark) + 2;
        const [left, top] = [x + offset[0], y + offset[1]];
        const flag = mark.tanks > 1 && worstOf(mark.counts) !== undefined ? 14 : 0;
        return { left: left - radius, right: left + radius + flag, top: top - radius - flag / 2, bottom: top + radius };
      });
    for (const name of this.#names) {
      const { x, y } = this.#map.project([name.longitude, name.latitude]);
      const box = freeBox(x, y, name.width, 16, taken);
      name.element.classList.toggle('covered', box === undefined);
      if (box === undefined) continue;
      taken.push(box);
      name.offset = [(box.left + box.right) / 2 - x, (box.top + box.bottom) / 2 - y];
      this.#placeOne(name);
    }
  }
}

function markElement(mark: Mark, count: (tanks: number) => string): HTMLElement {
  const { key, tanks, tankId, counts } = mark;
  const element = document.createElement('div');
  const worst = worstOf(counts);
  element.dataset['mark'] = key;
  element.dataset['tanks'] = String(tanks);
  if (tankId !== null) element.dataset['tank'] = tankId;
  element.style.setProperty('--radius', `${radiusOf(mark)}px`);
  if (tanks === 1) {
    element.className = `map-mark ${worst ?? 'calm'}`;
    element.style.zIndex = String(ORDER.indexOf(worst));
    if (worst !== undefined) element.append(symbol(worst));
    return element;
  }
  element.className = 'map-group';
  element.textContent = count(tanks);
  // Also of silent tanks: a group that nobody can see into must not look calm.
  if (worst !== undefined) {
    const flag = document.createElement('span');
    flag.className = `map-flag ${worst}`;
    flag.append(symbol(worst), count(counts[worst]));
    element.append(flag);
  }
  return element;
}

const SVG = 'http://www.w3.org/2000/svg';

function symbol(status: StatusName): SVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', FILLED_MARKS.has(status) ? 'mark filled' : 'mark');
  svg.setAttribute('viewBox', '0 0 12 12');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', MARK_PATHS[status]);
  svg.append(path);
  return svg;
}
