import type { Size } from './mercator.ts';

/** A rectangle of the map that something occupies, in pixels from the left and the top. */
export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export type Center = [x: number, y: number];

const isOverlapping = (a: Box, b: Box): boolean =>
  a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;

/** The first center at which a box of this size covers nothing, or the first of all if there is none. */
export function nearestFreeBox(centers: readonly Center[], { width, height }: Size, taken: readonly Box[]): Box {
  const boxes = centers.map(([x, y]) => ({
    left: x - width / 2,
    right: x + width / 2,
    top: y - height / 2,
    bottom: y + height / 2,
  }));
  const free = boxes.find((box) => !taken.some((other) => isOverlapping(box, other))) ?? boxes[0];
  if (free === undefined) throw new Error('no center was given');
  return free;
}
