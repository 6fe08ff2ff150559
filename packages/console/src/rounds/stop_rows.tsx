import type { FleetRound, FleetStop, NewStop, TankStatus, Truck } from '@tankwatch/client';
import { Fragment, useState } from 'react';
import type { VolumeUnit } from '../format.ts';
import { Icon } from '../parts/marks.tsx';
import { numeric, Table } from '../parts/table.tsx';
import { usePreferences, useTexts } from '../preferences.tsx';
import { ROUND_TEXTS } from '../translations/rounds.ts';
import { BlockedPrintRow, StopRow } from './stop_row.tsx';
import { overflowOf, stopName } from './stop_texts.ts';

interface StopRowsProps {
  stops: readonly FleetStop[];
  statuses: ReadonlyMap<string, TankStatus>;
  unit: VolumeUnit;
  capacity: number;
  /** Whether the plan can be changed. */
  isOpen: boolean;
  /** Whether outcomes are shown: the round has begun. */
  hasBegun: boolean;
  driver: FleetRound['driver'];
  officePhone: string | null;
  otherTrucks: readonly Truck[];
  onOrder: (stops: readonly FleetStop[]) => void;
  onMoveToTruck: (stop: FleetStop, truckId: string) => void;
  /** Changes fields of one stop. */
  onStop: (stop: FleetStop, fields: Partial<NewStop>) => void;
  onOutcome: (stop: FleetStop, outcome: { outcome: string; reason?: string }) => void;
}

const moved = <T,>(list: readonly T[], from: number, to: number): T[] => {
  const rest = list.filter((_, at) => at !== from);
  return [...rest.slice(0, to), ...list.slice(from, from + 1), ...rest.slice(to)];
};

/** The stops in their order. A line shows where the truck is empty. */
export function StopRows(props: StopRowsProps) {
  const { stops, statuses, unit, capacity, isOpen, hasBegun, driver, officePhone, otherTrucks } = props;
  const { onOrder, onMoveToTruck, onStop, onOutcome } = props;
  const { words: all, format } = usePreferences();
  const words = useTexts(ROUND_TEXTS);
  const [dragged, setDragged] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const [said, setSaid] = useState('');
  const overflow = overflowOf(stops, capacity);
  const move = (from: number, to: number): void => {
    const stop = stops[from];
    if (stop === undefined || to < 0 || to >= stops.length) return;
    onOrder(moved(stops, from, to));
    setSaid(words.moved(stopName(stop, words.deletedTank), format.count(to + 1)));
  };
  return (
    <>
      <p className="hidden" role="status">
        {said}
      </p>
      <Table
        className="plan-table plan-stops"
        columns={[
          { text: <span className="hidden">{words.stops}</span>, className: 'p-no' },
          { text: words.columns.tank, className: 'p-tank' },
          { text: words.columns.level, className: 'p-level no-print' },
          { text: words.columns.level, className: 'print-only' },
          numeric(words.columns.volume, 'p-volume'),
          { text: words.columns.why, className: 'p-why', title: words.whyHelp },
          hasBegun ? { text: words.outcome, className: 'p-outcome' } : numeric(all.fleet.columns.empty, 'p-empty'),
          { text: words.address, className: 'print-only' },
          { text: words.writeIn, className: 'print-only' },
          isOpen && { text: <span className="hidden">{words.remove('')}</span>, className: 'p-act no-print' },
        ]}
      >
        {stops.map((stop, at) => (
          <Fragment key={stop.number}>
            {overflow?.first === at && (
              <tr className="full-line">
                <td colSpan={6 + Number(isOpen)}>
                  <Icon name="warning" /> {words.emptyHere(format.volume(overflow.volume, unit))}
                </td>
              </tr>
            )}
            <BlockedPrintRow stop={stop} at={at} phone={officePhone} />
            <StopRow
              stop={stop}
              status={stop.tank === null ? undefined : statuses.get(stop.tank.id)}
              at={at}
              isLast={at === stops.length - 1}
              unit={unit}
              isOpen={isOpen}
              hasBegun={hasBegun}
              driver={driver}
              otherTrucks={otherTrucks}
              drag={{
                className: over === at && dragged !== at ? 'drop-here' : '',
                onDragStart: () => setDragged(at),
                onDragEnd: () => {
                  setDragged(null);
                  setOver(null);
                },
                onDragOver: (event) => {
                  if (dragged === null) return;
                  event.preventDefault();
                  setOver(at);
                },
                onDrop: (event) => {
                  event.preventDefault();
                  if (dragged !== null && dragged !== at) move(dragged, at);
                },
              }}
              onMove={(by) => move(at, at + by)}
              onMoveToTruck={(truckId) => onMoveToTruck(stop, truckId)}
              onRemove={() => onOrder(stops.filter((one) => one !== stop))}
              onKeep={() => onStop(stop, { is_kept: true })}
              onVolume={(volume) => onStop(stop, { volume })}
              onOutcome={(outcome) => onOutcome(stop, outcome)}
            />
          </Fragment>
        ))}
      </Table>
    </>
  );
}
