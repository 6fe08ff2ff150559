import { Link } from 'wouter';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { ROUND_TEXTS } from '../translations/rounds.ts';

interface PlanLimitsProps {
  /** The level to which the round fills tanks, in percent. */
  fillTo: number;
  /** The chance above which a tank must be visited, from 0 to 1. */
  limit: number;
  /** Gives the round the limits of the settings. Undefined if the round already has them or cannot be changed. */
  onUse?: (limits: { fill_to_percentage: number; chance_limit: number }) => void;
}

/** The limits of a round. The page of trucks sets them for new rounds; a round keeps its own. */
export function PlanLimits({ fillTo, limit, onUse }: PlanLimitsProps) {
  const { format, fillTo: ownFillTo, mustAbove } = usePreferences();
  const texts = useTexts(ROUND_TEXTS);
  const isOther = fillTo !== ownFillTo || Math.round(limit * 10_000) !== Math.round(mustAbove * 100);
  return (
    <span className="plan-limits meta">
      {texts.planLimits(format.exactPercent(fillTo), format.exactPercent(limit * 100))}{' '}
      {isOther && onUse !== undefined && (
        <button
          type="button"
          className="link"
          onClick={() => onUse({ fill_to_percentage: ownFillTo, chance_limit: mustAbove / 100 })}
        >
          {texts.useLimits(format.exactPercent(ownFillTo), format.exactPercent(mustAbove))}
        </button>
      )}{' '}
      <Link href="/trucks">{texts.toSettings}</Link>
    </span>
  );
}
