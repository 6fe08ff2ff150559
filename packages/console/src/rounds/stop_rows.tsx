import type { FleetStop, TankStatus, Truck } from '@tankwatch/client';
import { Fragment, useState } from 'react';
import { Link } from 'wouter';
import { useNow } from '../clock.ts';
import type { VolumeUnit } from '../format.ts';
import { Icon } from '../parts/marks.tsx';
import { numeric, Table } from '../parts/table.tsx';
import { EmptyCell, Level } from '../parts/tank_cells.tsx';
import { usePreferences, useTexts } from '../preferences.tsx';
import { ROUND_TEXTS } from '../translations/rounds.ts';
import { Outcome } from './outcome.tsx';
import { StopActions } from './stop_actions.tsx';
import { addressOf, outcomeText, overflowOf, stopName } from './stop_texts.ts';

interface StopRowsProps {
  stops: readonly FleetStop[];
  statuses: ReadonlyMap<string, TankStatus>;
  unit: VolumeUnit;
  capacity: number;
  /** Whether the plan can be changed. */
  isOpen: boolean;
  /** Whether outcomes are shown: the round has begun. */
  hasBegun: boolean;
  otherTrucks: readonly Truck[];
  onOrder: (stops: readonly FleetStop[]) => void;
  onMoveToTruck: (stop: FleetStop, truckId: string) => void;
  onOutcome: (stop: FleetStop, outcome: { outcome: string; reason?: string }) => void;
}

const moved = <T,>(list: readonly T[], from: number, to: number): T[] => {
  const rest = list.filter((_, at) => at !== from);
  return [...rest.slice(0, to), ...list.slice(from, from + 1), ...rest.slice(to)];
};

/** The stops in their order. A line shows where the truck is empty. */
export function StopRows(props: StopRowsProps) {
  const { stops, statuses, unit, capacity, isOpen, hasBegun, otherTrucks, onOrder, onMoveToTruck, onOutcome } = props;
  const { words: all, format } = usePreferences();
  const words = useTexts(ROUND_TEXTS);
  const nowMs = useNow();
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
          { text: words.columns.level, className: 'p-level' },
          numeric(words.columns.volume, 'p-volume'),
          { text: words.columns.why, className: 'p-why', title: words.whyHelp },
          hasBegun ? { text: words.outcome, className: 'p-outcome' } : numeric(all.fleet.columns.empty, 'p-empty'),
          { text: words.address, className: 'print-only' },
          { text: words.writeIn, className: 'print-only' },
          isOpen && { text: <span className="hidden">{words.remove('')}</span>, className: 'p-act no-print' },
        ]}
      >
        {stops.map((stop, at) => {
          const status = stop.tank === null ? undefined : statuses.get(stop.tank.id);
          const name = stopName(stop, words.deletedTank);
          const canMove = isOpen && stop.outcome === 'open';
          return (
            <Fragment key={stop.number}>
              {overflow?.first === at && (
                <tr className="full-line">
                  <td colSpan={6 + Number(isOpen)}>
                    <Icon name="warning" /> {words.emptyHere(format.volume(overflow.volume, unit))}
                  </td>
                </tr>
              )}
              <tr
                className={over === at && dragged !== at ? 'row drop-here' : 'row'}
                data-stop={stop.number}
                draggable={canMove}
                onDragStart={() => setDragged(at)}
                onDragEnd={() => {
                  setDragged(null);
                  setOver(null);
                }}
                onDragOver={(event) => {
                  if (dragged === null) return;
                  event.preventDefault();
                  setOver(at);
                }}
                onDrop={(event) => {
                  event.preventDefault();
                  if (dragged !== null && dragged !== at) move(dragged, at);
                }}
              >
                <td className="p-no">
                  <span className={stop.kind === 'must' ? 'stop-no' : 'stop-no could'}>{format.count(at + 1)}</span>
                </td>
                <th scope="row" className="p-tank">
                  <StopName stop={stop} />
                </th>
                <td className="p-level">{status !== undefined && <Level status={status} />}</td>
                <td className="number p-volume">
                  <b>{format.volume(stop.volume, unit)}</b>
                </td>
                <td className="p-why">
                  <Why kind={stop.kind} chance={stop.chance} />
                </td>
                {!hasBegun &&
                  (status === undefined ? <td className="p-empty" /> : <EmptyCell status={status} nowMs={nowMs} />)}
                {hasBegun && (
                  <td className="p-outcome">
                    <Outcome
                      stop={stop}
                      unit={unit}
                      canSay={isOpen}
                      onOutcome={(outcome) => onOutcome(stop, outcome)}
                    />
                  </td>
                )}
                <td className="print-only">
                  {addressOf(stop)}
                  {stop.tank !== null && <div>{stop.tank.owner_phone}</div>}
                  {stop.notes.map((note) => (
                    <div key={note}>
                      <b>{note}</b>
                    </div>
                  ))}
                </td>
                <td className="print-only write-in">
                  {stop.outcome !== 'open' && outcomeText(stop, unit, words, format)}
                </td>
                {isOpen && (
                  <td className="p-act no-print">
                    {canMove && (
                      <StopActions
                        name={name}
                        otherTrucks={otherTrucks}
                        isFirst={at === 0}
                        isLast={at === stops.length - 1}
                        onMove={(by) => move(at, at + by)}
                        onMoveToTruck={(truckId) => onMoveToTruck(stop, truckId)}
                        onRemove={() => onOrder(stops.filter((one) => one !== stop))}
                      />
                    )}
                  </td>
                )}
              </tr>
            </Fragment>
          );
        })}
      </Table>
    </>
  );
}

function StopName({ stop: { tank } }: { stop: FleetStop }) {
  const words = useTexts(ROUND_TEXTS);
  if (tank === null) return <span className="old">{words.deletedTank}</span>;
  return (
    <>
      <div className="tank-name">
        <Link href={`/tanks/${tank.id}`}>{tank.name}</Link>{' '}
        {tank.custom_id !== null && <span className="no">{tank.custom_id}</span>}
      </div>
      <div className="meta">{[tank.owner_name, tank.city].filter((part) => part !== null).join(' · ')}</div>
    </>
  );
}

/** Below it, a chance says nothing. */
const SHOWN_CHANCE = 0.005;

/** Why the tank is on the round, with the chance of being empty before the next visit. */
export function Why({ kind, chance }: { kind: 'must' | 'could' | 'added'; chance: number | null }) {
  const { format } = usePreferences();
  const words = useTexts(ROUND_TEXTS);
  return (
    <>
      {kind === 'must' ? <span className="must">{words.must}</span> : words[kind]}{' '}
      {chance !== null && chance >= SHOWN_CHANCE && format.percent(chance * 100)}
    </>
  );
}
