import { Link } from 'wouter';
import { usePreferences } from '../preferences.tsx';
import type { StatusName } from '../status.ts';
import { type Place, tanksOf } from './map_drawing.ts';

const SHOWN: readonly StatusName[] = ['losing', 'low', 'soon', 'silent'];

/** The towns of the map as a table: the same numbers for those who cannot see or use the map. */
export function PlaceTable({ places, status }: { places: readonly Place[]; status: StatusName | undefined }) {
  const { words, format } = usePreferences();
  const rows = places.filter((place) => tanksOf(place, status) > 0);
  if (rows.length === 0) return <p className="notice">{words.map.none}</p>;
  return (
    <table className="tanks places">
      <caption className="hidden">{words.map.tableLabel}</caption>
      <thead>
        <tr>
          <th scope="col">{words.fleet.columns.place}</th>
          <th scope="col" className="number">
            {words.customers.tanks}
          </th>
          {SHOWN.map((name) => (
            <th key={name} scope="col" className="number">
              {words.chips[name]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((place) => (
          <tr key={place.city}>
            <th scope="row">
              <Link href={fleetHref(place.city, status)}>{place.city}</Link>
            </th>
            <td className="number" data-label={words.customers.tanks}>
              {format.count(place.tanks)}
            </td>
            {SHOWN.map((name) => (
              <td key={name} className="number" data-label={words.chips[name]}>
                {place.counts[name] === 0 ? words.values.none : format.count(place.counts[name])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const fleetHref = (city: string, status: StatusName | undefined): string =>
  `/fleet?${new URLSearchParams({ place: city, ...(status === undefined ? {} : { status }) })}`;
