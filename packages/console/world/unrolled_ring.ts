export type Position = [longitude: number, latitude: number];

/** Beyond this latitude the projection of the map shows nothing. */
const MAX_LATITUDE = 85;

/**
 * Removes the jump of a ring that crosses 180° of longitude, because the map would draw the jump as a line around the world.
 * The longitudes continue beyond 180°. A ring around a pole is closed along that pole.
 */
export function unrolledRing(ring: readonly Position[]): Position[] {
  let shift = 0;
  let before: number | undefined;
  const points = ring.map(([longitude, latitude]): Position => {
    if (before !== undefined && longitude - before > 180) shift -= 360;
    if (before !== undefined && longitude - before < -180) shift += 360;
    before = longitude;
    return [longitude + shift, latitude];
  });
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || Math.abs(last[0] - first[0]) < 180) return points;
  const pole = first[1] < 0 ? -MAX_LATITUDE : MAX_LATITUDE;
  return [...points, [last[0], pole], [first[0], pole], first];
}
