import type { Truck } from '@tankwatch/client';
import { Select } from '../forms/select.tsx';
import { Icon } from '../parts/marks.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { ROUND_TEXTS } from '../translations/rounds.ts';

interface StopActionsProps {
  name: string;
  otherTrucks: readonly Truck[];
  isFirst: boolean;
  isLast: boolean;
  /** -1 moves the stop up by one, 1 moves it down. */
  onMove: (by: -1 | 1) => void;
  onMoveToTruck: (truckId: string) => void;
  onRemove: () => void;
}

/** What can be done with a stop that is open. */
export function StopActions({ name, otherTrucks, isFirst, isLast, onMove, onMoveToTruck, onRemove }: StopActionsProps) {
  const texts = useTexts(ROUND_TEXTS);
  return (
    <span className="stop-acts">
      {otherTrucks.length > 0 && (
        <span className="icon-button to-truck" title={texts.otherTruck}>
          <Icon name="truck" />
          <Select
            aria-label={texts.toTruck(name)}
            value=""
            options={[['', texts.otherTruck], ...otherTrucks.map((truck) => [truck.id, truck.name] as const)]}
            onChange={(id) => id !== '' && onMoveToTruck(id)}
          />
        </span>
      )}
      <button
        type="button"
        className="icon-button handle"
        aria-label={texts.move(name)}
        title={texts.move(name)}
        onKeyDown={(event) => {
          const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : null;
          if (!event.altKey || by === null) return;
          event.preventDefault();
          onMove(by);
        }}
      >
        ⠿
      </button>
      <button
        type="button"
        className="icon-button step"
        aria-label={texts.up(name)}
        disabled={isFirst}
        onClick={() => onMove(-1)}
      >
        ↑
      </button>
      <button
        type="button"
        className="icon-button step"
        aria-label={texts.down(name)}
        disabled={isLast}
        onClick={() => onMove(1)}
      >
        ↓
      </button>
      <button type="button" className="icon-button" aria-label={texts.remove(name)} onClick={onRemove}>
        ×
      </button>
    </span>
  );
}
