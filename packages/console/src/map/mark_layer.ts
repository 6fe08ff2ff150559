import type { Map as MapLibreMap } from 'maplibre-gl';
import { FILLED_MARKS, MARK_PATHS } from '../parts/marks.tsx';
import type { StatusName } from '../status.ts';
import { ElementLayer, type PlacedElement } from './element_layer.ts';
import { type Mark, radiusOf, worstOf } from './group_marks.ts';

/** The order in which marks are drawn. The worst status is last, on top. */
const ORDER: readonly (StatusName | undefined)[] = [
  undefined,
  'refilled',
  'soon',
  'silent',
  'gauge_unreliable',
  'low',
  'losing',
];

/** The marks of tanks and groups. */
export class MarkLayer {
  readonly #layer: ElementLayer;
  #marks = new Map<string, PlacedElement & { mark: Mark }>();

  constructor(map: MapLibreMap) {
    this.#layer = new ElementLayer(map);
  }

  show(marks: readonly Mark[], count: (tanks: number) => string): void {
    const before = this.#marks;
    this.#marks = new Map(
      marks.map((mark) => {
        const { key, latitude, longitude, offset } = mark;
        const known = before.get(key);
        const isSame = known !== undefined && JSON.stringify(known.mark) === JSON.stringify(mark);
        return [key, isSame ? known : { mark, element: markElement(mark, count), latitude, longitude, offset }];
      }),
    );
    this.#layer.show([...this.#marks.values()]);
  }

  select(tankId: string | undefined): void {
    for (const { mark, element } of this.#marks.values())
      element.classList.toggle('selected', tankId !== undefined && mark.tankId === tankId);
  }

  /** The mark at the target of an event. */
  markAt(target: EventTarget | null): Mark | undefined {
    const element = target instanceof Element ? target.closest<HTMLElement>('[data-mark]') : null;
    return this.#marks.get(element?.dataset['mark'] ?? '')?.mark;
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
  // Groups of silent tanks have a flag too, because such a group must not look as if nothing is wrong.
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
