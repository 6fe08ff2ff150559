/** With this distance, marks do not overlap. */
const APART_PIXELS = 25;
export const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
const MAX_TRIES = 60;

type Pixels = readonly [x: number, y: number];

/** How far each mark is moved so that it does not cover an earlier mark. The first mark is not moved. */
export function spreadMarks(places: readonly Pixels[]): Pixels[] {
  const taken: Pixels[] = [];
  return places.map(([x, y]) => {
    for (let step = 0; step < MAX_TRIES; step++) {
      const [distance, angle] = [6 * Math.sqrt(step), step * GOLDEN_ANGLE];
      const offset: Pixels = [distance * Math.cos(angle), distance * Math.sin(angle)];
      const place: Pixels = [x + offset[0], y + offset[1]];
      if (taken.some((other) => Math.hypot(other[0] - place[0], other[1] - place[1]) < APART_PIXELS)) continue;
      taken.push(place);
      return offset;
    }
    return [0, 0];
  });
}
