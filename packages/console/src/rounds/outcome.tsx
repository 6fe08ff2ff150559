import type { FleetStop } from '@tankwatch/client';
import type { VolumeUnit } from '../format.ts';
import { Icon } from '../parts/marks.tsx';
import { usePreferences, useTexts } from '../preferences.tsx';
import { ROUND_TEXTS } from '../translations/rounds.ts';
import { outcomeText, stopName } from './stop_texts.ts';

const REASONS = ['no_access', 'refused', 'full', 'truck_empty', 'unsafe', 'other'] as const;

interface OutcomeProps {
  stop: FleetStop;
  unit: VolumeUnit;
  canSay: boolean;
  onOutcome: (outcome: { outcome: string; reason?: string }) => void;
}

/** The outcome of a stop, who reported it, and whether the gauge contradicts it. The office can report for a driver, and correct a report. */
export function Outcome({ stop, unit, canSay, onOutcome }: OutcomeProps) {
  const { format } = usePreferences();
  const words = useTexts(ROUND_TEXTS);
  const { outcome, outcome_from: from, reason, seen_volume: seen, contradiction } = stop;
  const details = [
    reason === null ? null : words.reasons[reason],
    from === null ? null : words.from[from],
    stop.outcome_at === null ? null : format.time(stop.outcome_at).replaceAll(' ', '\u00A0'),
    seen === null || from === 'gauge' ? null : words.seen(format.volume(seen, unit)),
  ].filter((part) => part !== null);
  const say = (choice: string): void => {
    if (choice === 'delivered' || choice === 'open') onOutcome({ outcome: choice });
    else if (choice !== '') onOutcome({ outcome: 'not_possible', reason: choice });
  };
  return (
    <>
      <div className={outcome === 'open' ? 'old' : 'strong'}>{outcomeText(stop, unit, words, format)}</div>
      {details.length > 0 && <div className="meta">{details.join(' · ')}</div>}
      {contradiction !== null && (
        <div className="contradiction">
          <Icon name="warning" /> {words.contradiction[contradiction]}
        </div>
      )}
      {canSay && from !== 'gauge' && (
        <select
          className="no-print"
          aria-label={words.closeAs(stopName(stop, words.deletedTank))}
          value=""
          onChange={({ target }) => say(target.value)}
        >
          <option value="">{words.closeChoose}</option>
          {from !== null && <option value="open">{words.reopenStop}</option>}
          {outcome !== 'delivered' && <option value="delivered">{words.closeDelivered}</option>}
          {REASONS.map((one) => (
            <option key={one} value={one}>
              {words.reasons[one]}
            </option>
          ))}
        </select>
      )}
    </>
  );
}
