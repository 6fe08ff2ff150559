import type { FleetMap } from '@tankwatch/client';
import { useState } from 'react';
import { Link } from 'wouter';
import { NumberCell, numeric, Table } from '../parts/table.tsx';
import { usePreferences } from '../preferences_and_words.tsx';
import type { StatusName } from '../status.ts';

type Place = FleetMap['places'][number];

const SHOWN: readonly StatusName[] = ['losing', 'low', 'gauge_unreliable', 'soon', 'silent'];
const INITIAL_ROWS = 10;

/** The towns of the map as a table, for people who cannot see or use the map. */
export function PlaceTable({ places, status }: { places: readonly Place[]; status: StatusName | undefined }) {
  const { words, format } = usePreferences();
  const [hasAll, setHasAll] = useState(false);
  const rows = hasAll ? places : places.slice(0, INITIAL_ROWS);
  const shown = SHOWN.filter((name) => name !== 'gauge_unreliable' || places.some(({ counts }) => counts[name] > 0));
  if (rows.length === 0) return <p className="notice">{words.map.none}</p>;
  return (
    <>
      <Table
        className="stacked places"
        caption={words.map.tableLabel}
        columns={[
          words.fleet.columns.place,
          numeric(words.customers.tanks),
          ...shown.map((name) => numeric(words.chips[name])),
        ]}
      >
        {rows.map((place) => (
          <tr key={place.city}>
            <th scope="row">
              <Link href={fleetHref(place.city, status)}>{place.city}</Link>
            </th>
            <NumberCell label={words.customers.tanks}>{format.count(place.tanks)}</NumberCell>
            {shown.map((name) => (
              <td
                key={name}
                className={place.counts[name] === 0 ? 'number zero' : 'number'}
                data-label={words.chips[name]}
              >
                {place.counts[name] === 0 ? words.values.none : format.count(place.counts[name])}
              </td>
            ))}
          </tr>
        ))}
      </Table>
      {rows.length < places.length && (
        <p>
          <button type="button" className="link" onClick={() => setHasAll(true)}>
            {words.map.allPlaces(format.count(places.length))}
          </button>
        </p>
      )}
    </>
  );
}

const fleetHref = (city: string, status: StatusName | undefined): string =>
  `/fleet?${new URLSearchParams({ place: city, ...(status === undefined ? {} : { status }) })}`;
