import type { RoundProposal } from '@tankwatch/client';
import { useNow } from '../clock.ts';
import { usePreferences } from '../preferences_and_words.tsx';

/** Shown below the level of a tank without a sensor: the range of the estimate, and the age of the last manual reading. */
export function Estimate({ estimate }: Pick<RoundProposal['stops'][number], 'estimate'>) {
  const { words, format } = usePreferences();
  const nowMs = useNow();
  if (estimate === null) return null;
  const { low_percentage: low, high_percentage: high, last_dip_at: at } = estimate;
  const { values } = words;
  const parts = [
    low === null || high === null ? null : values.estimated(format.percent(low), format.percent(high)),
    at === null ? values.noDip : values.lastDip(format.ago(nowMs - Date.parse(at))),
  ];
  return <span className="meta block">{parts.filter((part) => part !== null).join('; ')}</span>;
}
