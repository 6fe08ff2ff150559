import { useQuery } from '@tanstack/react-query';
import { fleet } from '../api.ts';
import type { VolumeUnit } from '../format.ts';
import { useFormat, useWords } from '../preferences.tsx';
import { ProblemNotice, Skeleton } from './problem.tsx';

const MONTHS = 12;

/** The use of the last months as bars, in the time zone of the viewer. */
export function UsageBars({ id, unit }: { id: string; unit: VolumeUnit }) {
  const { tank, values } = useWords();
  const format = useFormat();
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { data, error, refetch } = useQuery({
    queryKey: ['tank', id, 'usage', zone],
    queryFn: ({ signal }) => fleet.usage(id, { unit: 'month', zone, periods: MONTHS }, { signal }),
  });
  const periods = data?.periods ?? [];
  const highest = Math.max(1, ...periods.map(({ used_volume }) => used_volume ?? 0));
  return (
    <section aria-labelledby="usage">
      <h2 id="usage">{tank.usage}</h2>
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={3} />}
      {data !== undefined && periods.length === 0 && <p className="meta">{tank.usageEmpty}</p>}
      {periods.length > 0 && (
        <>
          <ol className="bars">
            {periods.map(({ starts_at, used_volume: used, lost_volume: lost }, index) => {
              const amount = used === null ? values.unknown : format.volume(Math.max(0, used), unit);
              return (
                <li key={starts_at} className={index === periods.length - 1 ? 'current' : ''}>
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
          <p className="meta">{tank.usageNote}</p>
        </>
      )}
    </section>
  );
}
