import { useEffect, useRef, useState } from 'react';
import { BaseMap, type OpenedMap } from './base_map.tsx';
import { ElementLayer } from './element_layer.ts';
import type { Area } from './map_view.ts';
import { RoundLine } from './round_line.ts';
import type { RoundPoint } from './round_path.ts';
import { spreadMarks } from './spread_marks.ts';

export interface RoundMark extends RoundPoint {
  /** The number of the stop, as in the table of the stops. */
  text: string;
  /** The tooltip of the mark: the place and what happened there. */
  title: string;
  /** The town of the stop. Null for the depot, or if the town is not known. */
  city: string | null;
  isNext: boolean;
}

interface RoundCanvasProps {
  label: string;
  /** The stops in their order, with the depot at both ends. */
  marks: readonly RoundMark[];
  isImperial: boolean;
  /** Called with the text of the mark that was pressed. */
  onPick: (text: string) => void;
  onFailure: () => void;
}

const RADIUS_PIXELS = 13;

/** The stops of a round on a map: a line through their numbers. */
export function RoundCanvas({ marks, onPick, ...base }: RoundCanvasProps) {
  const [drawn, setDrawn] = useState<OpenedMap & { line: RoundLine; numbers: ElementLayer }>();
  const pick = useRef(onPick);
  useEffect(() => {
    pick.current = onPick;
  });
  const onOpen = (opened: OpenedMap): void => {
    const { map } = opened;
    const line = new RoundLine(map);
    map.on('click', ({ originalEvent: { target } }) => {
      const mark = target instanceof Element ? target.closest<HTMLElement>('.stop-mark') : null;
      if (mark !== null) pick.current(mark.dataset['stop'] ?? '');
    });
    // The line is drawn on the canvas. This attribute says which parts of it, for tests.
    map.on('idle', () => {
      map.getContainer().dataset['line'] = line.drawnParts().join(' ');
    });
    setDrawn({ ...opened, line, numbers: new ElementLayer(map) });
  };
  // The parent passes a new list each time it reads the round. The map is drawn again only if the content differs.
  const content = JSON.stringify(marks);
  useEffect(() => {
    if (drawn === undefined) return undefined;
    const shown: readonly RoundMark[] = JSON.parse(content);
    drawn.line.show(shown);
    drawn.labels.avoid(shown.map((mark) => ({ ...mark, radius: RADIUS_PIXELS })));
    // As on the map of the fleet, each town has one name, as the organization writes it.
    const towns = shown.flatMap(({ city, ...mark }) => (city === null ? [] : [{ ...mark, city }]));
    const isFirst = ({ city }: { city: string }, index: number): boolean =>
      towns.findIndex((one) => one.city === city) === index;
    drawn.labels.showNames(drawn.background.kind === 'world' ? towns.filter(isFirst) : []);
    // The depot is the first and the last point of the line, but has only one mark.
    const points = shown.filter(({ kind }, index) => kind !== 'depot' || index === 0);
    const elements = points.map(markElement);
    const place = (): void => {
      const offsets = spreadMarks(
        points.map(({ longitude, latitude }) => {
          const { x, y } = drawn.map.project([longitude, latitude]);
          return [x, y];
        }),
      );
      drawn.numbers.show(
        points.flatMap((mark, index) => {
          const element = elements[index];
          return element === undefined ? [] : [{ ...mark, element, offset: offsets[index] ?? [0, 0] }];
        }),
      );
    };
    place();
    drawn.map.on('zoom', place);
    return () => void drawn.map.off('zoom', place);
  }, [drawn, content]);
  return <BaseMap {...base} area={areaOf(marks)} onOpen={onOpen} />;
}

function markElement({ kind, text, title, isNext }: RoundMark): HTMLElement {
  const element = document.createElement('div');
  element.className = isNext ? `stop-mark ${kind} next` : `stop-mark ${kind}`;
  element.dataset['stop'] = text;
  element.title = title;
  element.textContent = kind === 'depot' ? '' : text;
  return element;
}

function areaOf(marks: readonly RoundMark[]): Area | undefined {
  if (marks.length === 0) return undefined;
  const [longitudes, latitudes] = [marks.map((mark) => mark.longitude), marks.map((mark) => mark.latitude)];
  return {
    west: Math.min(...longitudes),
    east: Math.max(...longitudes),
    south: Math.min(...latitudes),
    north: Math.max(...latitudes),
  };
}
