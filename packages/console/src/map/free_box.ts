/** A rectangle of the map that something occupies, in pixels from the left and the top. */
export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const isOverlapping = (a: Box, b: Box): boolean =>
  a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;

/** How far from its place a name may be, the nearest first. */
const OFFSETS = [0, -1, 1, -2, 2]
  .flatMap((column) => Array.from({ length: 9 }, (_, row) => ({ x: column * 30, y: (row - 4) * 14 })))
  .toSorted((a, b) => Math.hypot(a.x, a.y) - Math.hypot(b.x, b.y));

/** The nearest place for a box of this size at which it covers nothing. Undefined if there is none. */
export function freeBox(x: number, y: number, width: number, height: number, taken: readonly Box[]): Box | undefined {
  return OFFSETS.map((offset) => ({
    left: x + offset.x - width / 2,
    right: x + offset.x + width / 2,
    top: y + offset.y - height / 2,
    bottom: y + offset.y + height / 2,
  })).find((box) => !taken.some((other) => isOverlapping(box, other)));
}
