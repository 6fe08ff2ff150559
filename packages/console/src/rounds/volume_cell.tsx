import type { FleetStop } from '@tankwatch/client';
import { useState } from 'react';
import type { VolumeUnit } from '../format.ts';
import { useTypedNumbers } from '../forms/typed_number.ts';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { ROUND_TEXTS } from '../translations/rounds.ts';
import { stopName } from './stop_texts.ts';

interface VolumeCellProps {
  stop: FleetStop;
  unit: VolumeUnit;
  canChange: boolean;
  /** Null if the volume that fits is to be used again. */
  onVolume: (volume: number | null) => void;
}

/** The delivered volume. Before the delivery: the volume, its difference from the plan, and whether a person chose it. */
export function VolumeCell({ stop, unit, canChange, onVolume }: VolumeCellProps) {
  const { format } = usePreferences();
  const texts = useTexts(ROUND_TEXTS);
  const numbers = useTypedNumbers();
  const [isOpen, setIsOpen] = useState(false);
  const { volume, planned_volume: planned, outcome, delivered_volume: delivered } = stop;
  const shown = format.volume(volume, unit);
  const label = texts.changeVolume(stopName(stop, texts.deletedTank));
  const isExcluded = stop.block !== null || stop.is_filled_meanwhile;
  if (outcome === 'delivered' && delivered !== null)
    return (
      <>
        <b>{format.volume(delivered, unit)}</b>
        <div className="meta">{texts.plannedVolume(format.volume(planned, unit))}</div>
      </>
    );
  if (outcome === 'not_possible' || outcome === 'not_done') return <s className="meta">{shown}</s>;
  if (isOpen)
    return (
      <input
        type="text"
        inputMode="decimal"
        autoComplete="off"
        className="volume-input"
        aria-label={label}
        defaultValue={Math.round(volume)}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the person has pressed the volume to change it
        autoFocus
        onBlur={({ target }) => {
          if (target.value === target.defaultValue) {
            setIsOpen(false);
            return;
          }
          const typed = target.value.trim() === '' ? { value: null } : numbers.volume(target.value);
          target.setCustomValidity('problem' in typed ? typed.problem : '');
          if ('problem' in typed) {
            target.reportValidity();
            return;
          }
          setIsOpen(false);
          onVolume(typed.value);
        }}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') currentTarget.blur();
          if (key === 'Escape') setIsOpen(false);
        }}
      />
    );
  return (
    <>
      {canChange && !isExcluded ? (
        <button
          type="button"
          className="volume-button"
          aria-label={`${shown}. ${label}`}
          onClick={() => setIsOpen(true)}
        >
          <b>{shown}</b>
        </button>
      ) : (
        <b>{shown}</b>
      )}
      {stop.block !== null && <div className="meta">{texts.takenOff(format.volume(planned, unit))}</div>}
      {stop.is_filled_meanwhile && <div className="meta">{texts.plannedVolume(format.volume(planned, unit))}</div>}
      {stop.is_volume_changed && (
        <div className="volume-change">
          {texts.changedBy(format.volume(Math.abs(volume - planned), unit), volume > planned)}
        </div>
      )}
      {stop.volume_from === 'person' && stop.outcome === 'open' && <div className="meta">{texts.typedVolume}</div>}
    </>
  );
}
