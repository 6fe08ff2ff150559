import type { FleetRound, FleetStop, TankStatus, Truck } from '@tankwatch/client';
import type { HTMLAttributes } from 'react';
import { Link } from 'wouter';
import { useNow } from '../clock.ts';
import type { VolumeUnit } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { EmptyCell, Level } from '../parts/tank_cells.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { RECORD_TEXTS } from '../translations/record_stop.ts';
import { ROUND_PRINT_TEXTS } from '../translations/round_print.ts';
import { ROUND_TEXTS } from '../translations/rounds.ts';
import { Outcome } from './outcome.tsx';
import { StopActions } from './stop_actions.tsx';
import { Blocked, Filled } from './stop_state.tsx';
import { addressOf, outcomeText, stopName } from './stop_texts.ts';
import { VolumeCell } from './volume_cell.tsx';

interface StopRowProps {
  stop: FleetStop;
  status: TankStatus | undefined;
  index: number;
  isLast: boolean;
  unit: VolumeUnit;
  isOpen: boolean;
  hasBegun: boolean;
  driver: FleetRound['driver'];
  otherTrucks: readonly Truck[];
  /** True if the table has a column of actions. */
  hasActions: boolean;
  /** The attributes with which the row can be dragged. */
  drag: HTMLAttributes<HTMLTableRowElement>;
  onMove: (by: -1 | 1) => void;
  onMoveToTruck: (truckId: string) => void;
  onRemove: () => void;
  onKeep: () => void;
  onVolume: (volume: number | null) => void;
  /** Opens the form for an entry. Undefined if nothing can be recorded now. */
  onRecord: (() => void) | undefined;
  /** Opens the form with the entry of somebody else. */
  onUse: (() => void) | undefined;
}

/** The content of the check box on paper. */
const CHECKS: Readonly<Record<FleetStop['outcome'], string>> = {
  open: '',
  delivered: '✓',
  not_possible: '✗',
  not_done: '✗',
};

/** One stop. A blocked stop has no actions and keeps its position, so that page, phone and printed sheet agree. */
export function StopRow(props: StopRowProps) {
  const { stop, status, index, isLast, unit, isOpen, hasBegun, driver, otherTrucks, hasActions, drag } = props;
  const { format } = usePreferences();
  const roundTexts = useTexts(ROUND_TEXTS);
  const nowMs = useNow();
  const isBlocked = stop.block !== null;
  const isExcluded = isBlocked || stop.is_filled_meanwhile;
  const canChange = isOpen && stop.outcome === 'open';
  const hasNoReport = stop.outcome === 'open' && stop.other_entry === null && stop.contradiction === null;
  const kinds = [
    isBlocked ? 'blocked no-print' : '',
    stop.is_filled_meanwhile ? 'filled' : '',
    stop.outcome === 'open' ? '' : `closed ${stop.outcome}`,
  ];
  return (
    <tr
      {...drag}
      className={['row', drag.className ?? '', ...kinds].filter(Boolean).join(' ')}
      data-stop={stop.number}
      draggable={canChange && !isBlocked}
    >
      <td className="p-no">
        <span className="check-box print-only">{CHECKS[stop.outcome]}</span>
        <span className={stop.kind === 'must' ? 'stop-no' : 'stop-no could'}>{format.count(index + 1)}</span>
      </td>
      <th scope="row">
        <StopName stop={stop} />
      </th>
      <td className="p-level no-print">{status !== undefined && <Level status={status} />}</td>
      <td className="print-only">
        {status?.reading && (
          <>
            {format.percent(status.reading.fill_percentage)}
            <div className="meta">{format.recent(status.reading.created_at, nowMs)}</div>
          </>
        )}
      </td>
      <td className="number p-volume">
        <VolumeCell stop={stop} unit={unit} canChange={canChange} onVolume={props.onVolume} />
      </td>
      {isExcluded ? (
        <td className={hasBegun ? 'p-outcome' : 'p-why'} colSpan={1 + Number(!hasBegun) + Number(hasActions)}>
          {isBlocked ? (
            <Blocked stop={stop} driver={driver} />
          ) : (
            <Filled stop={stop} canChange={canChange} onKeep={props.onKeep} onTakeOff={props.onRemove} />
          )}
        </td>
      ) : (
        <>
          <td className={hasBegun ? 'p-outcome' : 'p-why'}>
            {hasBegun && !hasNoReport && <Outcome stop={stop} unit={unit} driver={driver} onUse={props.onUse} />}
            {(!hasBegun || hasNoReport) && <Why kind={stop.kind} chance={stop.chance} />}
            {stop.is_other_product && <div className="blocked-text no-print">{roundTexts.otherProduct}</div>}
            {stop.is_volume_changed && (
              <div className="meta">
                {roundTexts.wasVolume(
                  format.volume(stop.planned_volume, unit),
                  stop.planned_fill_percentage === null ? '' : format.percent(stop.planned_fill_percentage),
                )}
              </div>
            )}
          </td>
          {!hasBegun &&
            (status === undefined ? <td className="p-empty" /> : <EmptyCell status={status} nowMs={nowMs} />)}
        </>
      )}
      <td className="print-only">
        {stop.outcome === 'delivered' ? (
          stop.tank?.city
        ) : (
          <>
            {addressOf(stop)}
            {stop.tank?.owner_phones.map(({ number, whose }) => (
              <div key={number}>{[number, whose].filter(Boolean).join(' ')}</div>
            ))}
          </>
        )}
        {stop.is_filled_meanwhile && <b>{roundTexts.onlyIfOffice}</b>}
        {stop.is_other_product && <b>{roundTexts.otherProduct}</b>}
        {stop.notes.map((note) => (
          <div key={note}>
            <b>{note}</b>
          </div>
        ))}
      </td>
      <td className="print-only write-in">{stop.outcome !== 'open' && outcomeText(stop, unit, roundTexts, format)}</td>
      <td className="print-only write-in">{stop.note}</td>
      {hasActions && !isExcluded && (
        <td className="p-act no-print">
          {props.onRecord !== undefined && <RecordButton stop={stop} onRecord={props.onRecord} />}
          {canChange && (
            <StopActions
              name={stopName(stop, roundTexts.deletedTank)}
              otherTrucks={otherTrucks}
              isFirst={index === 0}
              isLast={isLast}
              onMove={props.onMove}
              onMoveToTruck={props.onMoveToTruck}
              onRemove={props.onRemove}
            />
          )}
        </td>
      )}
    </tr>
  );
}

function RecordButton({ stop, onRecord }: { stop: FleetStop; onRecord: () => void }) {
  const { deletedTank } = useTexts(ROUND_TEXTS);
  const texts = useTexts(RECORD_TEXTS);
  const isReported = stop.outcome_from === 'driver' || stop.outcome_from === 'person';
  return (
    <Button
      className="small"
      aria-label={(isReported ? texts.correctOf : texts.recordOf)(stopName(stop, deletedTank))}
      onClick={onRecord}
    >
      {isReported ? texts.correct : texts.record}
    </Button>
  );
}

/** A blocked stop on paper, without an address and without fields. */
export function BlockedPrintRow({ stop, index, phone }: { stop: FleetStop; index: number; phone: string | null }) {
  const { format } = usePreferences();
  const roundTexts = useTexts(ROUND_TEXTS);
  const sheet = useTexts(ROUND_PRINT_TEXTS);
  const nowMs = useNow();
  if (stop.block === null) return null;
  return (
    <tr className="print-only print-stop">
      <td className="p-no">
        <b>{sheet.stop}</b> <span className="stop-no could">{format.count(index + 1)}</span>
      </td>
      <td colSpan={6}>
        <strong>{phone === null ? roundTexts.printStop : `${roundTexts.printStop}: ${phone}`}</strong>
        <div>
          {stopName(stop, roundTexts.deletedTank)}. {roundTexts.printLoss(format.recent(stop.block.since, nowMs))}
        </div>
      </td>
    </tr>
  );
}

function StopName({ stop: { tank } }: { stop: FleetStop }) {
  const roundTexts = useTexts(ROUND_TEXTS);
  if (tank === null) return <span className="old">{roundTexts.deletedTank}</span>;
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

/** Smaller chances are not shown. */
const SHOWN_CHANCE = 0.005;

/** Why the tank is on the round, with the chance of being empty before the next visit. */
export function Why({ kind, chance }: { kind: 'must' | 'could' | 'added'; chance: number | null }) {
  const { format } = usePreferences();
  const roundTexts = useTexts(ROUND_TEXTS);
  return (
    <>
      {kind === 'must' ? <span className="must">{roundTexts.must}</span> : roundTexts[kind]}{' '}
      {chance !== null && chance >= SHOWN_CHANCE && format.percent(chance * 100)}
    </>
  );
}
