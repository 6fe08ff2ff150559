import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { fleet } from '../api.ts';
import { dayOf, eventsCsv } from '../events/event_export.tsx';
import { numberIn, unitIn } from '../events/event_values.ts';
import { DAY_MS } from '../format.ts';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { NumberCell, numeric, Table } from '../parts/table.tsx';
import { BY_MONTH, MonthBars, UsageNote } from '../parts/usage_bars.tsx';
import { useFormat, useTranslation } from '../preferences_and_words.tsx';

/** About one screen. The page of events lists all refills. */
const MAX_REFILLS = 12;
const YEAR_MS = 365 * DAY_MS;

/** The use of all tanks of a customer by month. Liters and gallons are never added. */
export function CustomerUse({ id }: { id: string }) {
  const words = useTranslation();
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
      {volumes.length > 0 && <UsageNote periods={volumes.flatMap(({ periods }) => periods.slice(-1))} />}
    </section>
  );
}

/** The refills of all tanks of a customer by month, to compare with delivery notes. The CSV file has each refill. */
export function CustomerRefills({ id }: { id: string }) {
  const { customers: texts, values } = useTranslation();
  const format = useFormat();
  const { data, error, refetch } = useQuery({
    queryKey: ['customer', id, 'refills', 'months'],
    queryFn: ({ signal }) => fleet.customerRefills(id, { zone: BY_MONTH.zone, months: BY_MONTH.periods }, { signal }),
  });
  const months = data?.months ?? [];
  const today = new Date();
  const firstDay = dayOf(new Date(today.getFullYear(), today.getMonth() - BY_MONTH.periods + 1, 1).getTime());
  return (
    <section aria-labelledby="refills">
      <div className="section-head">
        <h2 id="refills">{texts.refills}</h2>
        {months.length > 0 && (
          <a
            className="button"
            href={eventsCsv({ type: 'tank.refilled', customer: id, from: firstDay, to: dayOf(today.getTime()) })}
            download
          >
            {texts.refillsCsv}
          </a>
        )}
      </div>
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={3} />}
      {data !== undefined && months.length === 0 && <p className="meta">{texts.noRefills}</p>}
      {months.length > 0 && (
        <Table
          className="stacked refills"
          columns={[texts.month, numeric(texts.refillCount), numeric(texts.delivered)]}
        >
          {months.map(({ starts_at, unit, refills, delivered_volume: delivered }) => (
            <tr key={`${starts_at} ${unit}`}>
              <th scope="row">
                <time dateTime={starts_at}>{format.monthWithYear(starts_at)}</time>
              </th>
              <NumberCell label={texts.refillCount}>{format.count(refills)}</NumberCell>
              <NumberCell label={texts.delivered}>{values.about(format.volume(delivered, unit))}</NumberCell>
            </tr>
          ))}
        </Table>
      )}
      {months.length > 0 && <LatestRefills id={id} />}
    </section>
  );
}

/** The latest refills, one by one. */
function LatestRefills({ id }: { id: string }) {
  const { customers: texts, history, fleet: list, values } = useTranslation();
  const format = useFormat();
  const { data, error, refetch } = useQuery({
    queryKey: ['customer', id, 'refills'],
    queryFn: ({ signal }) =>
      fleet.history(
        { owner_id: id, type: 'tank.refilled', since: new Date(Date.now() - YEAR_MS), size: MAX_REFILLS },
        { signal },
      ),
  });
  const refills = data?.events ?? [];
  return (
    <>
      <h3>{texts.latestRefills}</h3>
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={3} />}
      {refills.length > 0 && (
        <Table
          className="stacked refills"
          columns={[history.when, list.columns.tank, list.columns.level, numeric(texts.delivered)]}
        >
          {refills.map(({ id: eventId, occurred_at, tank, data: refill }) => (
            <tr key={eventId}>
              <th scope="row">
                <time dateTime={occurred_at}>{format.dateWithYear(occurred_at)}</time>
              </th>
              <td data-label={list.columns.tank}>
                <Link href={`/tanks/${tank.id}`}>{tank.name}</Link>{' '}
                {tank.custom_id !== null && <span className="no">{tank.custom_id}</span>}
              </td>
              <td data-label={list.columns.level}>
                {values.range(
                  format.percent(numberIn(refill, 'before_percentage')),
                  format.percent(numberIn(refill, 'after_percentage')),
                )}
              </td>
              <NumberCell label={texts.delivered}>
                {values.about(format.volume(numberIn(refill, 'delivered_volume'), unitIn(refill)))}
              </NumberCell>
            </tr>
          ))}
        </Table>
      )}
      {typeof data?.next === 'string' && (
        <p>
          <Link href={`/events?type=tank.refilled&customer=${id}&since=1y`}>{history.older}</Link>
        </p>
      )}
    </>
  );
}
