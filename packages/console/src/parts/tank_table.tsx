import type { TankStatus } from '@tankwatch/client';
import { Link } from 'wouter';
import { useNow } from '../clock.ts';
import { ProductWords, usePreferences } from '../preferences_and_words.tsx';
import { limitsOf } from '../status.ts';
import { Sparkline } from './sparkline.tsx';
import { type Heading, numeric, Table } from './table.tsx';
import { DueCell, NameCells, RoomCells, rowClass, UsePerDay } from './tank_cells.tsx';

type SortName = 'urgency' | 'level' | 'last_reading';

interface TankTableProps {
  rows: readonly TankStatus[];
  /** Tanks whose values have just changed. */
  changed?: ReadonlySet<string>;
  hasOwner?: boolean;
  sort?: string;
  /** Without this function, the columns cannot be sorted. */
  onSort?: (sort: string) => void;
  placeHref?: (city: string) => string;
}

/** Tanks as a table. On a phone each row has three lines. */
export function TankTable({ rows, changed, hasOwner = true, sort, onSort, placeHref }: TankTableProps) {
  const { words, format, fillTo } = usePreferences();
  const nowMs = useNow();
  const { columns } = words.fleet;
  const hasSpark = rows.some(({ spark }) => spark !== undefined);
  const sortable = (name: SortName, text: string, className: string): Heading => {
    if (onSort === undefined) return { text, className };
    const [isUp, isDown] = [sort === name, sort === `-${name}`];
    const button = (
      <button
        type="button"
        className="sort"
        title={words.fleet.sortBy(text)}
        onClick={() => onSort(isUp ? `-${name}` : name)}
      >
        {text}
        <span aria-hidden="true">{isUp ? ' ↑' : isDown ? ' ↓' : ''}</span>
      </button>
    );
    return { text: button, className, 'aria-sort': isUp ? 'ascending' : isDown ? 'descending' : 'none' };
  };
  return (
    <Table
      className={hasSpark ? 'rows fleet has-spark' : 'rows fleet'}
      caption={words.fleet.tableLabel}
      columns={[
        { text: columns.tank, className: 'c-tank' },
        sortable('level', columns.level, 'c-level'),
        numeric(columns.left, 'c-left'),
        numeric(columns.empty, 'c-empty'),
        sortable('urgency', columns.threshold, 'c-why'),
        hasSpark && { text: columns.spark, className: 'c-spark' },
        numeric(columns.use, 'c-use'),
        numeric(columns.room(limitsOf(rows, fillTo, format)), 'c-room'),
        sortable('last_reading', columns.read, 'c-read'),
        { text: columns.place, className: 'c-place' },
      ]}
    >
      {rows.map((status) => {
        const { id, location } = status.tank;
        return (
          <ProductWords key={id} product={status.product}>
            <tr data-tank={id} className={`${rowClass(status)} ${changed?.has(id) ? 'changed' : ''}`}>
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
          </ProductWords>
        );
      })}
    </Table>
  );
}
