import type { TankStatus } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { fleet } from '../api.ts';
import { usePreferences } from '../preferences.tsx';
import { levelOf, nameOf, roomOf } from '../status.ts';

const NEAR_KM = 15;
const MIN_ROOM_PERCENT = 40;
const MOST = 8;
const EARTH_KM = 6_371;

interface AlsoNearProps {
  first: TankStatus;
  listed: ReadonlySet<string>;
  fillTo: number;
  onAdd: (id: string) => void;
}

/** Tanks near the first stop that are not due yet, but have room: they can make the truck full. The nearest first. */
export function AlsoNear({ first, listed, fillTo, onAdd }: AlsoNearProps) {
  const { words, format } = usePreferences();
  const { latitude, longitude } = first.tank.location;
  const near = latitude === null || longitude === null ? undefined : `${latitude.toFixed(5)},${longitude.toFixed(5)}`;
  const { data } = useQuery({
    queryKey: ['near', near],
    queryFn: async ({ signal }) => fleet.tanks({ near, km: NEAR_KM, size: 100 }, { signal }),
    enabled: near !== undefined,
  });
  const rows = (data?.data ?? [])
    .filter((status) => {
      const level = levelOf(status);
      const hasRoom = roomOf(status, fillTo) !== null && level !== null && fillTo - level >= MIN_ROOM_PERCENT;
      return !listed.has(status.tank.id) && hasRoom;
    })
    .map((status) => ({ status, km: kilometersBetween(first, status) }))
    .toSorted((a, b) => a.km - b.km);
  if (data === undefined) return null;
  return (
    <section className="no-print">
      <h2>{words.round.near(format.distance(NEAR_KM, first.tank.capacity_unit))}</h2>
      {rows.length === 0 && <p className="meta">{words.round.nearNone}</p>}
      <ul className="near">
        {rows.slice(0, MOST).map(({ status, km }) => (
          <li key={status.tank.id}>
            <button
              type="button"
              className="button"
              aria-label={words.round.addTank(nameOf(status.tank))}
              onClick={() => onAdd(status.tank.id)}
            >
              {words.round.add}
            </button>
            <span>
              <Link href={`/tanks/${status.tank.id}`}>{status.tank.name}</Link>{' '}
              {status.tank.custom_id !== null && <span className="no">{status.tank.custom_id} </span>}
              <span className="meta">
                {status.owner.name} · {words.round.away(format.distance(km, first.tank.capacity_unit))} ·{' '}
                {format.percent(levelOf(status) ?? 0)} · {words.fleet.columns.room(format.percent(fillTo))}{' '}
                {format.volume(roomOf(status, fillTo) ?? 0, status.tank.capacity_unit)}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** As the crow flies. */
function kilometersBetween(a: TankStatus, b: TankStatus): number {
  const radians = (degrees: number | null): number => ((degrees ?? 0) * Math.PI) / 180;
  const [from, to] = [a.tank.location, b.tank.location];
  const [latitudes, longitudes] = [
    radians(to.latitude) - radians(from.latitude),
    radians(to.longitude) - radians(from.longitude),
  ];
  const half =
    Math.sin(latitudes / 2) ** 2 +
    Math.cos(radians(from.latitude)) * Math.cos(radians(to.latitude)) * Math.sin(longitudes / 2) ** 2;
  return 2 * EARTH_KM * Math.asin(Math.sqrt(half));
}
