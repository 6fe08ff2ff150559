import type { FleetRound, FleetStop, NewStop, TankStatus, Truck } from '@tankwatch/client';
import { Fragment, useState } from 'react';
import type { VolumeUnit } from '../format.ts';
import { Icon } from '../parts/marks.tsx';
import { numeric, Table } from '../parts/table.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { ROUND_PRINT_TEXTS } from '../translations/round_print.ts';
import { ROUND_TEXTS } from '../translations/rounds.ts';
import { RecordForm } from './record_form.tsx';
import { type RecordStart, startOf, startOfOther } from './record_start.ts';
import { BlockedPrintRow, StopRow } from './stop_row.tsx';
import { deliveredBeside, loadOfStops, overflowOf, stopName } from './stop_texts.ts';

interface StopRowsProps {
  stops: readonly FleetStop[];
  statuses: ReadonlyMap<string, TankStatus>;
  unit: VolumeUnit;
  capacity: number;
  /** Whether the plan can be changed. */
  isOpen: boolean;
  /** True if the round has begun, so that outcomes are shown. */
  hasBegun: boolean;
  round: FleetRound;
  /** Whether the office can record what happened. */
  canRecord: boolean;
  officePhone: string | null;
  otherTrucks: readonly Truck[];
  onOrder: (stops: readonly FleetStop[]) => void;
  onMoveToTruck: (stop: FleetStop, truckId: string) => void;
  /** Changes fields of one stop. */
  onStop: (stop: FleetStop, fields: Partial<NewStop>) => void;
  /** Called after an entry was recorded. */
  onRecorded: () => void;
}

const moved = <T,>(list: readonly T[], from: number, to: number): T[] => {
  const rest = list.filter((_, index) => index !== from);
  return [...rest.slice(0, to), ...list.slice(from, from + 1), ...rest.slice(to)];
};

/** The stops in their order. A line shows where the truck is empty. */
export function StopRows(props: StopRowsProps) {
  const { stops, statuses, unit, capacity, isOpen, hasBegun, round, canRecord, officePhone, otherTrucks } = props;
  const { onOrder, onMoveToTruck, onStop, onRecorded } = props;
  const { words, format } = usePreferences();
  const texts = useTexts(ROUND_TEXTS);
  const sheet = useTexts(ROUND_PRINT_TEXTS);
  const [dragged, setDragged] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const [announcement, setAnnouncement] = useState('');
  const [recorded, setRecorded] = useState<{ number: number; start: RecordStart } | null>(null);
  const overflow = overflowOf(stops, capacity);
  const hasActions = isOpen || canRecord;
  const record = (stop: FleetStop, start: RecordStart): void => setRecorded({ number: stop.number, start });
  const move = (from: number, to: number): void => {
    const stop = stops[from];
    if (stop === undefined || to < 0 || to >= stops.length) return;
    onOrder(moved(stops, from, to));
    setAnnouncement(texts.moved(stopName(stop, texts.deletedTank), format.count(to + 1)));
  };
  return (
    <>
      <p className="hidden" role="status">
        {announcement}
      </p>
      <Table
        className={canRecord ? 'plan-table plan-stops is-recorded' : 'plan-table plan-stops'}
        columns={[
          { text: <span className="hidden">{texts.stops}</span>, className: 'p-no' },
          texts.columns.tank,
          { text: texts.columns.level, className: 'p-level no-print' },
          { text: texts.columns.level, className: 's-level print-only' },
          numeric(texts.columns.volume, 'p-volume'),
          hasBegun
            ? { text: texts.outcome, className: 'p-outcome' }
            : { text: texts.columns.why, className: 'p-why', title: texts.whyHelp },
          !hasBegun && numeric(words.fleet.columns.empty, 'p-empty'),
          { text: texts.address, className: 'print-only' },
          { text: texts.writeIn, className: 'write-in print-only' },
          { text: sheet.note, className: 'write-in print-only' },
          hasActions && { text: <span className="hidden">{texts.remove('')}</span>, className: 'p-act no-print' },
        ]}
      >
        {stops.map((stop, index) => (
          <Fragment key={stop.number}>
            {overflow?.first === index && (
              <tr className="full-line">
                <td colSpan={5 + Number(!hasBegun) + Number(hasActions)}>
                  <Icon name="warning" /> {texts.emptyHere(format.volume(overflow.volume, unit))}
                </td>
              </tr>
            )}
            <BlockedPrintRow stop={stop} index={index} phone={officePhone} />
            <StopRow
              stop={stop}
              status={stop.tank === null ? undefined : statuses.get(stop.tank.id)}
              index={index}
              isLast={index === stops.length - 1}
              unit={unit}
              isOpen={isOpen}
              hasBegun={hasBegun}
              driver={round.driver}
              hasActions={hasActions}
              otherTrucks={otherTrucks}
              drag={{
                className: over === index && dragged !== index ? 'drop-here' : '',
                onDragStart: () => setDragged(index),
                onDragEnd: () => {
                  setDragged(null);
                  setOver(null);
                },
                onDragOver: (event) => {
                  if (dragged === null) return;
                  event.preventDefault();
                  setOver(index);
                },
                onDrop: (event) => {
                  event.preventDefault();
                  if (dragged !== null && dragged !== index) move(dragged, index);
                },
              }}
              onMove={(by) => move(index, index + by)}
              onMoveToTruck={(truckId) => onMoveToTruck(stop, truckId)}
              onRemove={() => onOrder(stops.filter((one) => one !== stop))}
              onKeep={() => onStop(stop, { is_kept: true })}
              onVolume={(volume) => onStop(stop, { volume })}
              onRecord={canRecord && stop.tank !== null ? () => record(stop, startOf(stop)) : undefined}
              onUse={canRecord ? () => record(stop, startOfOther(stop)) : undefined}
            />
            {recorded?.number === stop.number && (
              <tr className="record-row no-print">
                <td colSpan={5 + Number(!hasBegun) + Number(hasActions)}>
                  <RecordForm
                    key={JSON.stringify(recorded.start)}
                    round={round}
                    stop={stop}
                    status={stop.tank === null ? undefined : statuses.get(stop.tank.id)}
                    unit={unit}
                    truckLeft={capacity - deliveredBeside(stops, stop)}
                    start={recorded.start}
                    onClose={() => setRecorded(null)}
                    onRecorded={onRecorded}
                  />
                </td>
              </tr>
            )}
          </Fragment>
        ))}
        <tr className="print-only sheet-sum">
          <td colSpan={3}>{sheet.toDeliver}</td>
          <td className="number">
            {format.volume(loadOfStops(stops.filter(({ outcome }) => outcome === 'open')), unit)}
          </td>
        </tr>
      </Table>
    </>
  );
}
