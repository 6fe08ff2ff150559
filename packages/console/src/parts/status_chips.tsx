import { TANK_STATUSES } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { fleet } from '../api.ts';
import { useFormat, useTranslation } from '../preferences_and_words.tsx';
import type { StatusName } from '../status.ts';
import { StatusMark } from './marks.tsx';

export const useSummary = () =>
  useQuery({ queryKey: ['summary'], queryFn: ({ signal }) => fleet.summary({ signal }), refetchInterval: 30_000 });

interface StatusChipsProps {
  selected: StatusName | undefined;
  /** True if other filters leave tanks out. The counts of the summary are for the whole fleet. */
  isNarrowed: boolean;
  /** Gets undefined for the whole fleet. */
  hrefOf: (status: StatusName | undefined) => string;
}

/**
 * One chip for each status, with the number of its tanks. A tank counts for every status that it has, as in the list that
 * the chip opens. While other filters leave tanks out, only the chip of the whole fleet has its number.
 */
export function StatusChips({ selected, isNarrowed, hrefOf }: StatusChipsProps) {
  const { chips } = useTranslation();
  const format = useFormat();
  const { data } = useSummary();
  const shown = TANK_STATUSES.filter(
    (name) => name === selected || name !== 'gauge_unreliable' || (data?.counts[name] ?? 0) > 0,
  );
  const isWhole = selected === undefined && !isNarrowed;
  return (
    <nav className="chips" aria-label={chips.label}>
      <Link className="chip" href={hrefOf(undefined)} aria-current={isWhole ? 'true' : undefined}>
        {chips.all} <b>{data === undefined ? ' ' : format.count(data.total)}</b>
      </Link>
      {shown.map((name) => (
        <Link key={name} className="chip" href={hrefOf(name)} aria-current={selected === name ? 'true' : undefined}>
          <StatusMark status={name} />
          {chips[name]} {!isNarrowed && <b>{data === undefined ? ' ' : format.count(data.counts[name])}</b>}
        </Link>
      ))}
    </nav>
  );
}
