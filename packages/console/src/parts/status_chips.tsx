import { TANK_STATUSES } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { fleet } from '../api.ts';
import { useFormat, useWords } from '../preferences.tsx';
import type { StatusName } from '../status.ts';
import { StatusMark } from './marks.tsx';

export const useSummary = () =>
  useQuery({ queryKey: ['summary'], queryFn: ({ signal }) => fleet.summary({ signal }), refetchInterval: 30_000 });

interface StatusChipsProps {
  selected: StatusName | undefined;
  hrefOf: (status: StatusName | undefined) => string;
}

/** One chip for each status, with the number of its tanks. A status that no tank has is left out. */
export function StatusChips({ selected, hrefOf }: StatusChipsProps) {
  const { chips } = useWords();
  const format = useFormat();
  const { data } = useSummary();
  const shown = TANK_STATUSES.filter(
    (name) => name === selected || name !== 'gauge_unreliable' || (data?.counts[name] ?? 0) > 0,
  );
  return (
    <nav className="chips" aria-label={chips.label}>
      <Link className="chip" href={hrefOf(undefined)} aria-current={selected === undefined ? 'true' : undefined}>
        {chips.all} <b>{data === undefined ? ' ' : format.count(data.total)}</b>
      </Link>
      {shown.map((name) => (
        <Link key={name} className="chip" href={hrefOf(name)} aria-current={selected === name ? 'true' : undefined}>
          <StatusMark status={name} />
          {chips[name]} <b>{data === undefined ? ' ' : format.count(data.counts[name])}</b>
        </Link>
      ))}
    </nav>
  );
}
