import { useQuery } from '@tanstack/react-query';
import { fleet } from '../api.ts';
import type { VolumeUnit } from '../format.ts';
import { BROWSER_ZONE } from '../organization.ts';
import { useFormat, useTranslation } from '../preferences_and_words.tsx';
import { isOver } from './month_end.ts';
import { ProblemNotice, Skeleton } from './problem.tsx';

const MONTHS = 12;
/** The parameters of requests for the use by month, in the time zone of the viewer. */
export const BY_MONTH = {
  unit: 'month',
  zone: BROWSER_ZONE,
  periods: MONTHS,
} as const;

/** The use of a tank in the last months. */
export function UsageBars({ id, unit }: { id: string; unit: VolumeUnit }) {
  const { tank } = useTranslation();
  const { data, error, refetch } = useQuery({
    queryKey: ['tank', id, 'usage'],
    queryFn: ({ signal }) => fleet.usage(id, BY_MONTH, { signal }),
  });
  const periods = data?.periods ?? [];
  return (
    <section aria-labelledby="usage">
      <h2 id="usage">{tank.usage}</h2>
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={3} />}
      {data !== undefined && periods.length === 0 && <p className="meta">{tank.usageEmpty}</p>}
      {periods.length > 0 && (
        <>
          <MonthBars periods={periods} unit={unit} />
          <UsageNote periods={periods} />
        </>
      )}
    </section>
  );
}

interface Month {
  starts_at: string;
  used_volume: number | null;
  lost_volume: number;
}

/** Says that the use is an estimate, and that the last month is not over. */
export function UsageNote({ periods }: { periods: readonly Month[] }) {
  const { tank } = useTranslation();
  const isOpen = periods.some((month) => !isOver(month.starts_at, Date.now()));
  return <p className="meta">{isOpen ? `${tank.usageNote} ${tank.monthOpen}` : tank.usageNote}</p>;
}

/** Months as bars, oldest first. */
export function MonthBars({ periods, unit }: { periods: readonly Month[]; unit: VolumeUnit }) {
  const { tank, values } = useTranslation();
  const format = useFormat();
  const highest = Math.max(1, ...periods.map(({ used_volume }) => used_volume ?? 0));
  return (
    <ol className="bars">
      {periods.map((month) => {
        const { starts_at, used_volume: used, lost_volume: lost } = month;
        const amount = used === null ? values.unknown : format.volume(Math.max(0, used), unit);
        return (
          <li key={starts_at} className={isOver(month.starts_at, Date.now()) ? '' : 'current'}>
            <span className="hidden">{tank.monthUsed(format.monthWithYear(starts_at), amount)}</span>
            <span className="bar-value" aria-hidden="true">
              {amount}
            </span>
            <svg aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 10 100">
              <rect y={100 - (100 * Math.max(0, used ?? 0)) / highest} width="10" height="100" />
            </svg>
            <span className="meta" aria-hidden="true">
              {format.month(starts_at)}
            </span>
            {lost > 0 && <span className="meta lost">{tank.lost(format.volume(lost, unit))}</span>}
          </li>
        );
      })}
    </ol>
  );
}
