import { numberIn, unitIn } from '../events/event_values.ts';
import type { Format } from '../format.ts';
import type { Translation } from '../translations/translation.ts';

interface SummarizedPoint {
  ms: number;
  level: number | null;
}

interface SummarizedEvent {
  type: string;
  occurred_at: string;
  data: Readonly<Record<string, unknown>>;
}

/** Describes the chart in one sentence. Readings of an unreliable gauge, from `unreliableFromMs` on, are left out. */
export function chartSummary(
  points: readonly SummarizedPoint[],
  events: readonly SummarizedEvent[],
  { chart, status }: Translation,
  format: Format,
  unreliableFromMs: number | null = null,
): string {
  const measured = points.filter(({ level }) => level !== null);
  const known = measured.filter(({ ms }) => unreliableFromMs === null || ms < unreliableFromMs);
  const isUnreliable = known.length < measured.length;
  const suffix = isUnreliable ? `, ${status.gauge_unreliable.toLowerCase()}` : '';
  const [first, last] = [known[0], known.at(-1)];
  if (first?.level === undefined || first.level === null || last?.level === undefined || last.level === null) {
    return isUnreliable ? `${status.gauge_unreliable}.` : chart.none;
  }
  const span = chart.summary(
    format.percent(first.level),
    format.percent(last.level),
    format.duration(last.ms - first.ms),
  );
  const shown = events.filter(({ occurred_at }) => {
    const ms = Date.parse(occurred_at);
    return ms >= first.ms && ms <= last.ms;
  });
  const begun = shown.some(({ type }) => type === 'tank.rapid_loss') ? `${span}, ${chart.leak}` : span;
  const refills = shown.filter(({ type }) => type === 'tank.refilled');
  const [refill] = refills;
  if (refill === undefined) return `${begun}${suffix}.`;
  const sum = refills.reduce((total, { data }) => total + numberIn(data, 'delivered_volume'), 0);
  const volume = `+${format.volume(sum, unitIn(refill.data))}`;
  return `${begun}, ${chart.refills(refills.length, format.count(refills.length), volume)}${suffix}.`;
}
