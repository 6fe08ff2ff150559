import type { TankStatus } from '@tankwatch/client';
import { Fragment } from 'react';
import { useNow } from '../clock.ts';
import { Icon } from '../parts/marks.tsx';
import { DueCell, EmptyCell, Level, PhoneCell, Room, rowClass, TankName } from '../parts/tank_cells.tsx';
import { usePreferences } from '../preferences.tsx';
import { addressOf, nameOf, printedNotes, roomOf } from '../status.ts';

/** On the screen. The column to write into is only on paper. */
const COLUMNS = 8;

interface StopTableProps {
  rows: readonly TankStatus[];
  fillTo: number;
  truck: number;
  isTicked: (id: string) => boolean;
  onTick: (id: string, isIncluded: boolean) => void;
  onTickAll: (ids: readonly string[], isIncluded: boolean) => void;
}

/**
 * The stops in the order of their urgency. Only the included ones are printed, with a column to write into. A line shows
 * where the truck is empty.
 */
export function StopTable({ rows, fillTo, truck, isTicked, onTick, onTickAll }: StopTableProps) {
  const { words, format } = usePreferences();
  const nowMs = useNow();
  const { columns } = words.fleet;
  const overflow = overflowOf(
    rows.filter(({ tank }) => isTicked(tank.id)),
    fillTo,
    truck,
  );
  return (
    <table className="rows stops">
      <thead>
        <tr>
          <th scope="col" className="no-print tick">
            <input
              type="checkbox"
              aria-label={words.round.chooseAll}
              checked={rows.every(({ tank }) => isTicked(tank.id))}
              onChange={({ target }) =>
                onTickAll(
                  rows.map(({ tank }) => tank.id),
                  target.checked,
                )
              }
            />
          </th>
          <th scope="col" className="c-tank">
            {columns.tank}
          </th>
          <th scope="col" className="c-level">
            {columns.level}
          </th>
          <th scope="col" className="number c-left">
            {columns.room(format.percent(fillTo))}
          </th>
          <th scope="col" className="c-why">
            {words.round.due}
          </th>
          <th scope="col" className="number c-empty">
            {columns.empty}
          </th>
          <th scope="col" className="c-address">
            {words.round.address}
          </th>
          <th scope="col" className="c-phone">
            {words.customers.phone}
          </th>
          <th scope="col" className="print-only">
            {words.round.done}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((status) => {
          const { id } = status.tank;
          const isIncluded = isTicked(id);
          return (
            <Fragment key={id}>
              {overflow?.firstId === id && (
                <tr className="full-line">
                  <td colSpan={COLUMNS}>
                    <Icon name="warning" />{' '}
                    {words.round.fullHere(format.volume(overflow.volume, status.tank.capacity_unit))}
                  </td>
                </tr>
              )}
              <tr className={`${rowClass(status)} ${isIncluded ? '' : 'excluded'}`}>
                <td className="no-print tick">
                  <input
                    type="checkbox"
                    aria-label={words.round.choose(nameOf(status.tank))}
                    checked={isIncluded}
                    onChange={({ target }) => onTick(id, target.checked)}
                  />
                </td>
                <th scope="row" className="c-tank">
                  <TankName status={status} nowMs={nowMs} />
                </th>
                <td className="c-level">
                  <Level status={status} />
                </td>
                <td className="number strong c-left">
                  <Room status={status} fillTo={fillTo} />
                </td>
                <DueCell status={status} nowMs={nowMs} label={words.round.due} />
                <EmptyCell status={status} nowMs={nowMs} />
                <td className="c-address">
                  {addressOf(status)}
                  {printedNotes(status).map((text) => (
                    <div key={text} className="meta">
                      {text}
                    </div>
                  ))}
                </td>
                <PhoneCell phone={status.owner.phone} />
                <td className="print-only write-in" />
              </tr>
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}

/** The first stop that the truck cannot fill any more, and the volume that is missing. Of one unit only. */
function overflowOf(
  chosen: readonly TankStatus[],
  fillTo: number,
  truck: number,
): { firstId: string; volume: number } | null {
  const unit = chosen[0]?.tank.capacity_unit;
  const own = chosen.filter(({ tank }) => tank.capacity_unit === unit);
  let sum = 0;
  let firstId: string | null = null;
  for (const status of own) {
    sum += roomOf(status, fillTo) ?? 0;
    if (sum > truck) firstId ??= status.tank.id;
  }
  return firstId === null ? null : { firstId, volume: sum - truck };
}
