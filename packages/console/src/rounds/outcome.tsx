import type { FleetRound, FleetStop } from '@tankwatch/client';
import type { VolumeUnit } from '../format.ts';
import { Icon } from '../parts/marks.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { RECORD_TEXTS } from '../translations/record_stop.ts';
import { ROUND_TEXTS } from '../translations/rounds.ts';
import { outcomeText } from './stop_texts.ts';

interface OutcomeProps {
  stop: FleetStop;
  unit: VolumeUnit;
  driver: FleetRound['driver'];
  /** Undefined if nothing can be recorded. */
  onUse: (() => void) | undefined;
}

/** The outcome of a stop, who reported it, what the driver wrote, and whether the gauge or somebody else contradicts it. */
export function Outcome({ stop, unit, driver, onUse }: OutcomeProps) {
  const { format } = usePreferences();
  const roundTexts = useTexts(ROUND_TEXTS);
  const texts = useTexts(RECORD_TEXTS);
  const { outcome, outcome_from: from, reason, seen_volume: seen, contradiction, other_entry: other } = stop;
  const time = (at: string): string => format.time(at).replaceAll(' ', '\u00A0');
  const reporterText = (): string | null => {
    if (from === 'person' && stop.said_by_name !== null)
      return texts.recordedBy(stop.said_by_name, driver?.name ?? null);
    return from === 'driver' && driver?.name ? texts.deliveredBy(driver.name) : from && roundTexts.from[from];
  };
  const details = [
    reason === null ? null : roundTexts.reasons[reason],
    reporterText(),
    stop.outcome_at === null ? null : time(stop.outcome_at),
    stop.note === null ? null : texts.noteNumber(stop.note),
    seen === null || from === 'gauge' ? null : roundTexts.seen(format.volume(seen, unit)),
  ].filter((part) => part !== null);
  return (
    <>
      <div className={outcome === 'open' ? 'old' : 'strong'}>{outcomeText(stop, unit, roundTexts, format)}</div>
      {details.length > 0 && <div className="meta">{details.join(' · ')}</div>}
      {stop.comment !== null && <q className="driver-comment">{stop.comment}</q>}
      {contradiction !== null && (
        <div className="contradiction">
          <Icon name="warning" /> {roundTexts.contradiction[contradiction]}
        </div>
      )}
      {other !== null && (
        <div className="other-entry">
          <Icon name="warning" />{' '}
          {texts.other(
            other.from === 'driver' ? (driver?.name ?? texts.theDriver) : (other.said_by_name ?? texts.office),
            other.kind === 'delivered'
              ? roundTexts.says.delivered(format.volume(other.volume ?? 0, unit))
              : [roundTexts.says.not_possible, other.reason === null ? '' : roundTexts.reasons[other.reason]]
                  .filter(Boolean)
                  .join(', '),
            time(other.at),
          )}{' '}
          {other.comment !== null && <q className="driver-comment">{other.comment}</q>}{' '}
          {onUse !== undefined && (
            <button type="button" className="link no-print" onClick={onUse}>
              {texts.use}
            </button>
          )}
        </div>
      )}
    </>
  );
}
