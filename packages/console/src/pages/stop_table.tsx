import type { TankStatus } from '@tankwatch/client';
import { useNow } from '../clock.ts';
import { Phone } from '../parts/phone.tsx';
import { Due, Level, Room, TankName } from '../parts/tank_cells.tsx';
import { usePreferences } from '../preferences.tsx';
import { addressOf } from '../status.ts';

interface StopTableProps {
  rows: readonly TankStatus[];
  fillTo: number;
  isTicked: (id: string) => boolean;
  onTick: (id: string, isIncluded: boolean) => void;
  onTickAll: (ids: readonly string[], isIncluded: boolean) => void;
}

/** The stops in the order of their urgency. Only the included ones are printed, with a column to write into. */
export function StopTable({ rows, fillTo, isTicked, onTick, onTickAll }: StopTableProps) {
  const { words, format } = usePreferences();
  const nowMs = useNow();
  const { columns } = words.fleet;
  const room = columns.room(format.percent(fillTo));
  return (
    <table className="tanks stops">
      <thead>
        <tr>
          <th scope="col" className="no-print">
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
          <th scope="col">{columns.tank}</th>
          <th scope="col">{columns.level}</th>
          <th scope="col" className="number">
            {room}
          </th>
          <th scope="col">{words.round.due}</th>
          <th scope="col">{words.round.address}</th>
          <th scope="col">{words.customers.phone}</th>
          <th scope="col" className="print-only">
            {words.round.done}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((status) => {
          const { id, name } = status.tank;
          return (
            <tr key={id} className={isTicked(id) ? '' : 'excluded'}>
              <td className="no-print tick">
                <input
                  type="checkbox"
                  aria-label={words.round.choose(name)}
                  checked={isTicked(id)}
                  onChange={({ target }) => onTick(id, target.checked)}
                />
              </td>
              <th scope="row">
                <TankName status={status} nowMs={nowMs} />
              </th>
              <td>
                <Level status={status} />
              </td>
              <td className="number strong" data-label={room}>
                <Room status={status} fillTo={fillTo} />
              </td>
              <td data-label={words.round.due}>
                <Due status={status} nowMs={nowMs} />
              </td>
              <td className="address" data-label={words.round.address}>
                {addressOf(status)}
              </td>
              <td data-label={words.customers.phone}>
                <Phone phone={status.owner.phone} />
              </td>
              <td className="print-only write-in" />
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
