import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { fleet } from '../api.ts';
import { numberIn, unitIn } from '../event_data.ts';
import { DAY_MS } from '../format.ts';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { BY_MONTH, MonthBars } from '../parts/usage_bars.tsx';
import { useFormat, useWords } from '../preferences.tsx';

/** About a screen. The page of events has all of them. */
const MOST_REFILLS = 12;
const YEAR_MS = 365 * DAY_MS;

/** The use of all tanks of a customer by month. Liters and gallons are never added. */
export function CustomerUse({ id }: { id: string }) {
  const words = useWords();
  const { data, error, refetch } = useQuery({
    queryKey: ['customer', id, 'usage'],
    queryFn: ({ signal }) => fleet.customerUsage(id, BY_MONTH, { signal }),
  });
  const volumes = (data?.volumes ?? []).filter(({ periods }) => periods.length > 0);
  return (
    <section aria-labelledby="usage">
      <h2 id="usage">{words.tank.usage}</h2>
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={3} />}
      {data !== undefined && volumes.length === 0 && <p className="meta">{words.tank.usageEmpty}</p>}
      {volumes.map(({ unit, periods }) => (
        <MonthBars key={unit} periods={periods} unit={unit} />
      ))}
      {volumes.length > 0 && <p className="meta">{words.tank.usageNote}</p>}
    </section>
  );
}

/** The refills of all tanks of a customer in the last twelve months, to compare with delivery notes. */
export function CustomerRefills({ id }: { id: string }) {
  const { customers: texts, history, fleet: list, values } = useWords();
  const format = useFormat();
  const { data, error, refetch } = useQuery({
    queryKey: ['customer', id, 'refills'],
    queryFn: ({ signal }) =>
      fleet.history(
        { owner_id: id, type: 'tank.refilled', since: new Date(Date.now() - YEAR_MS), size: MOST_REFILLS },
        { signal },
      ),
  });
  const refills = data?.events ?? [];
  return (
    <section aria-labelledby="refills">
      <h2 id="refills">{texts.refills}</h2>
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={3} />}
      {data !== undefined && refills.length === 0 && <p className="meta">{texts.noRefills}</p>}
      {refills.length > 0 && (
        <table className="tanks refills">
          <thead>
            <tr>
              <th scope="col">{history.when}</th>
              <th scope="col">{list.columns.tank}</th>
              <th scope="col">{list.columns.level}</th>
              <th scope="col" className="number">
                {texts.delivered}
              </th>
            </tr>
          </thead>
          <tbody>
            {refills.map(({ id: eventId, occurred_at, tank, data: refill }) => (
              <tr key={eventId}>
                <th scope="row">
                  <time dateTime={occurred_at}>{format.dateWithYear(occurred_at)}</time>
                </th>
                <td data-label={list.columns.tank}>
                  <Link href={`/tanks/${tank.id}`}>{tank.name}</Link>
                </td>
                <td data-label={list.columns.level}>
                  {values.range(
                    format.percent(numberIn(refill, 'before_percentage')),
                    format.percent(numberIn(refill, 'after_percentage')),
                  )}
                </td>
                <td className="number" data-label={texts.delivered}>
                  {values.about(format.volume(numberIn(refill, 'delivered_volume'), unitIn(refill)))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {typeof data?.next === 'string' && (
        <p>
          <Link href={`/events?type=tank.refilled&customer=${id}&since=1y`}>{history.older}</Link>
        </p>
      )}
    </section>
  );
}
