import type { TankStatus } from '@tankwatch/client';
import { Link } from 'wouter';
import { useNow } from '../clock.ts';
import { usePreferences } from '../preferences.tsx';
import { Sparkline } from './sparkline.tsx';
import { DueCell, NameCells, RoomCells, rowClass, UsePerDay } from './tank_cells.tsx';

export type SortName = 'urgency' | 'level' | 'last_reading';

interface TankTableProps {
  rows: readonly TankStatus[];
  /** Tanks whose values have just changed. */
  changed?: ReadonlySet<string>;
  hasOwner?: boolean;
  sort?: string;
  /** Without it, the columns cannot be sorted. */
  onSort?: (sort: string) => void;
  placeHref?: (city: string) => string;
}

/** Tanks as a table. On a phone each row has three lines. */
export function TankTable({ rows, changed, hasOwner = true, sort, onSort, placeHref }: TankTableProps) {
  const { words, format, fillTo } = usePreferences();
  const nowMs = useNow();
  const { columns } = words.fleet;
  const hasSpark = rows.some(({ spark }) => spark !== undefined);
  const head = (name: SortName, text: string, className?: string) => (
    <SortableHead name={name} text={text} className={className} sort={sort} onSort={onSort} />
  );
  return (
    <table className={hasSpark ? 'rows fleet has-spark' : 'rows fleet'}>
      <caption className="hidden">{words.fleet.tableLabel}</caption>
      <thead>
        <tr>
          <th scope="col" className="c-tank">
            {columns.tank}
          </th>
          {head('level', columns.level, 'c-level')}
          <th scope="col" className="number c-left">
            {columns.left}
          </th>
          <th scope="col" className="number c-empty">
            {columns.empty}
          </th>
          {head('urgency', columns.threshold, 'c-why')}
          {hasSpark && (
            <th scope="col" className="c-spark">
              {columns.spark}
            </th>
          )}
          <th scope="col" className="number c-use">
            {columns.use}
          </th>
          <th scope="col" className="number c-room">
            {columns.room(format.percent(fillTo))}
          </th>
          {head('last_reading', columns.read, 'c-read')}
          <th scope="col" className="c-place">
            {columns.place}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((status) => {
          const { id, location } = status.tank;
          return (
            <tr key={id} data-tank={id} className={`${rowClass(status)} ${changed?.has(id) ? 'changed' : ''}`}>
              <NameCells status={status} nowMs={nowMs} hasOwner={hasOwner} place={location.city} />
              <DueCell status={status} nowMs={nowMs} />
              {hasSpark && (
                <td className="c-spark">
                  <Sparkline levels={status.spark ?? []} />
                </td>
              )}
              <td className="number c-use">
                <UsePerDay status={status} />
              </td>
              <RoomCells status={status} nowMs={nowMs} />
              <td className="c-place">
                {placeHref && location.city !== null ? (
                  <Link
                    href={placeHref(location.city)}
                    className="quiet"
                    title={words.fleet.filterPlace(location.city)}
                  >
                    {location.city}
                  </Link>
                ) : (
                  (location.city ?? words.values.none)
                )}
                {location.district !== null && <div className="meta">{location.district}</div>}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

interface SortableHeadProps {
  name: SortName;
  text: string;
  className: string | undefined;
  sort: string | undefined;
  onSort: ((sort: string) => void) | undefined;
}

function SortableHead({ name, text, className, sort, onSort }: SortableHeadProps) {
  const { fleet } = usePreferences().words;
  if (onSort === undefined) {
    return (
      <th scope="col" className={className}>
        {text}
      </th>
    );
  }
  const isUp = sort === name;
  const isDown = sort === `-${name}`;
  return (
    <th scope="col" className={className} aria-sort={isUp ? 'ascending' : isDown ? 'descending' : 'none'}>
      <button
        type="button"
        className="sort"
        title={fleet.sortBy(text)}
        onClick={() => onSort(isUp ? `-${name}` : name)}
      >
        {text}
        <span aria-hidden="true">{isUp ? ' ↑' : isDown ? ' ↓' : ''}</span>
      </button>
    </th>
  );
}
