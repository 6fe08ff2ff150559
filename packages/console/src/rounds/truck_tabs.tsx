import type { RoundSummary, Truck } from '@tankwatch/client';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { ROUND_TEXTS } from '../translations/rounds.ts';
import { LoadBar } from './load_bar.tsx';

interface TruckTabsProps {
  trucks: readonly Truck[];
  rounds: readonly RoundSummary[];
  chosenId: string;
  onChoose: (truckId: string) => void;
}

/** One tab for each truck with its load on the day. A load that is too large is marked. */
export function TruckTabs({ trucks, rounds, chosenId, onChoose }: TruckTabsProps) {
  const { format } = usePreferences();
  const texts = useTexts(ROUND_TEXTS);
  return (
    <div className="truck-tabs no-print">
      {trucks.map((truck) => {
        const round = rounds.find((one) => one.truck.id === truck.id && one.state !== 'cancelled');
        const isOver = round !== undefined && round.load_volume > truck.capacity;
        const volume = (value: number): string => format.volume(value, truck.capacity_unit);
        return (
          <button
            key={truck.id}
            type="button"
            className={isOver ? 'truck-tab over' : 'truck-tab'}
            aria-pressed={truck.id === chosenId}
            onClick={() => onChoose(truck.id)}
          >
            <span className="truck-line">
              <b>{truck.name}</b>
              <span>{texts.loadOf(volume(round?.load_volume ?? 0), volume(truck.capacity))}</span>
            </span>
            <LoadBar sum={round?.load_volume ?? 0} truck={truck.capacity} height={6} />
            <span className="meta">
              {round === undefined
                ? texts.noRound
                : [
                    texts.stopsShort(round.counts.stops, format.count(round.counts.stops)),
                    ...(round.counts.blocked > 0 ? [texts.progress.blocked(round.counts.blocked)] : []),
                    round.driver?.name ?? texts.noDriver,
                    texts.states[round.state],
                  ].join(' · ')}
            </span>
          </button>
        );
      })}
    </div>
  );
}
