import type { ListTankStatusesParameters, TankStatus, TankStatusPage } from '@tankwatch/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { fleet } from '../api.ts';
import { useNow } from '../clock.ts';
import { numberIn, unitIn } from '../event_data.ts';
import { DAY_MS, sentence } from '../format.ts';
import { useTitle } from '../frame/title.ts';
import { StatusMark } from '../parts/marks.tsx';
import { Phone } from '../parts/phone.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { useSummary } from '../parts/status_chips.tsx';
import { Due, NameCells, RoomCells } from '../parts/tank_cells.tsx';
import { useFormat, usePreferences, useWords } from '../preferences.tsx';
import { msUntil, type StatusName } from '../status.ts';
import { useReorder } from './reorder.ts';

const ROWS = 10;
/** A tank counts as losing for this time after the loss. */
const LOSS_MS = 2 * DAY_MS;
const SOON_DAYS = 3;

/** What a dispatcher needs at 07:30: losses, low tanks, silent tanks that are probably low, and the next three days. */
export function TodayPage() {
  const words = useWords();
  const format = useFormat();
  const nowMs = useNow();
  const summary = useSummary();
  const losing = useTanks({ status: 'losing' });
  const low = useTanks({ status: 'low' });
  const silent = useTanks({ status: 'silent', size: 50 });
  const soon = useTanks({ status: 'soon', size: 50 });
  const within = useTanks({ within_days: SOON_DAYS, size: 1 });
  const refilled = useTanks({ status: 'refilled', sort: '-last_refill', size: 50 });
  useTitle(words.pages.today);

  const isBefore = (at: string | null | undefined, ms: number): boolean => (msUntil(at, nowMs) ?? Infinity) < ms;
  const silentRows = rowsOf(silent).filter(({ threshold }) => isBefore(threshold?.earliest_at, 0));
  const soonRows = rowsOf(soon).filter(
    ({ status, threshold }) =>
      !status.includes('low') && !status.includes('losing') && isBefore(threshold?.likely_at, SOON_DAYS * DAY_MS),
  );
  const yesterdayMs = startOfYesterday(nowMs);
  const refilledRows = rowsOf(refilled).filter(
    ({ refilled: last }) => last !== null && Date.parse(last.at) >= yesterdayMs,
  );
  const shown = [rowsOf(losing), rowsOf(low), silentRows, soonRows, refilledRows].flatMap((rows) =>
    rows.slice(0, ROWS),
  );
  const queryClient = useQueryClient();
  useReorder([...new Set(shown.map(({ tank }) => tank.id))].slice(0, 100), {
    onValues: (values) => {
      const byId = new Map(values.map((row) => [row.tank.id, row]));
      queryClient.setQueriesData<TankStatusPage>({ queryKey: ['today'] }, (page) =>
        page === undefined ? page : { ...page, data: page.data.map((row) => byId.get(row.tank.id) ?? row) },
      );
    },
    onReorder: () => void queryClient.invalidateQueries({ queryKey: ['today'] }),
  });

  const { counts, total = 0 } = summary.data ?? {};
  const error = summary.error ?? low.error;
  if (error !== null && counts === undefined)
    return <ProblemNotice error={error} onRetry={() => void summary.refetch()} />;
  if (counts === undefined || low.data === undefined || soon.data === undefined) return <Skeleton rows={10} />;
  // Beyond one page the exact number is not known; the filter counts low tanks too.
  const soonCount =
    soon.data.next === null ? soonRows.length : Math.max(soonRows.length, (within.data?.total_items ?? 0) - counts.low);
  const isCalm = counts.losing + counts.low + silentRows.length + soonRows.length === 0;
  const [next] = rowsOf(soon);
  const nextAt = next?.threshold?.likely_at ?? null;
  return (
    <div className="today">
      <div className="page-head">
        <h1>{sentence(format.longDate(nowMs))}</h1>
        <span className="meta">{words.today.heard(format.count(total - counts.silent), format.count(total))}</span>
      </div>
      {isCalm && (
        <p className="notice">
          {words.today.calm}{' '}
          {next !== undefined && nextAt !== null && words.today.next(next.tank.name, format.date(nextAt))}
        </p>
      )}
      <Section
        mark="losing"
        title={words.today.losing}
        count={counts.losing}
        rows={rowsOf(losing)}
        href="/fleet?status=losing"
      />
      <Section mark="low" title={words.today.low} count={counts.low} rows={rowsOf(low)} href="/fleet?status=low" />
      <Section
        mark="silent"
        title={words.today.silent}
        count={silentRows.length}
        rows={silentRows}
        href="/fleet?status=silent"
      />
      <Section
        mark="soon"
        title={words.today.soon}
        count={soonCount}
        rows={soonRows}
        href={`/fleet?within=${SOON_DAYS}`}
        action={
          soonRows.length > 0 && (
            <Link className="button" href={`/round?within=${SOON_DAYS}`}>
              {words.today.plan}
            </Link>
          )
        }
      />
      <Section
        mark="refilled"
        title={words.today.refilled}
        count={refilledRows.length}
        rows={refilledRows}
        href="/fleet?status=refilled&sort=-last_refill"
      />
    </div>
  );
}

const useTanks = (parameters: ListTankStatusesParameters) =>
  useQuery({
    queryKey: ['today', parameters],
    queryFn: async ({ signal }) => fleet.tanks({ size: ROWS, ...parameters }, { signal }),
  });

const rowsOf = ({ data }: { data: { data: TankStatus[] } | undefined }): TankStatus[] => data?.data ?? [];

function startOfYesterday(nowMs: number): number {
  const day = new Date(nowMs);
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() - 1);
  return day.getTime();
}

interface SectionProps {
  mark: StatusName;
  title: string;
  count: number;
  rows: readonly TankStatus[];
  href: string;
  action?: ReactNode;
}

/** One section of the day. A section without a tank is left out. */
function Section({ mark, title, count, rows, href, action }: SectionProps) {
  const { words, format, fillTo } = usePreferences();
  const nowMs = useNow();
  const { columns } = words.fleet;
  if (rows.length === 0) return null;
  const third = mark === 'refilled' ? columns.refill : mark === 'losing' ? words.today.loss : columns.threshold;
  return (
    <section aria-label={title}>
      <div className="section-head">
        <h2 className={`section-title ${mark}`}>
          <StatusMark status={mark} /> {title} <span className="count">{format.count(count)}</span>
        </h2>
        {action}
        {count > ROWS && <Link href={href}>{words.today.all(format.count(count))} →</Link>}
      </div>
      <table className="tanks">
        <thead>
          <tr>
            <th scope="col">{columns.tank}</th>
            <th scope="col">{columns.level}</th>
            <th scope="col" className="number">
              {columns.left}
            </th>
            <th scope="col">{third}</th>
            <th scope="col" className="number">
              {columns.room(format.percent(fillTo))}
            </th>
            <th scope="col">{columns.read}</th>
            <th scope="col">{columns.place}</th>
            <th scope="col">{words.customers.phone}</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, ROWS).map((status) => (
            <tr key={status.tank.id} data-tank={status.tank.id}>
              <NameCells status={status} nowMs={nowMs} knownStatus={mark} />
              <td data-label={third}>
                {mark === 'refilled' ? (
                  <Refill status={status} />
                ) : mark === 'losing' ? (
                  <Loss status={status} nowMs={nowMs} />
                ) : (
                  <Due status={status} nowMs={nowMs} />
                )}
              </td>
              <RoomCells status={status} nowMs={nowMs} />
              <td data-label={columns.place}>{status.tank.location.city ?? words.values.none}</td>
              <td data-label={words.customers.phone}>
                <Phone phone={status.owner.phone} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** How much is gone, in what time: a forecast says nothing about a leak. */
function Loss({ status, nowMs }: { status: TankStatus; nowMs: number }) {
  const { words, format } = usePreferences();
  const { data } = useQuery({
    queryKey: ['today', 'losses'],
    queryFn: ({ signal }) =>
      fleet.history({ type: 'tank.rapid_loss', since: new Date(Date.now() - LOSS_MS), size: 200 }, { signal }),
    refetchInterval: 60_000,
  });
  const event = data?.events.find(({ tank }) => tank.id === status.tank.id);
  const seenAt = event?.occurred_at ?? status.losing_seen_at;
  const number = (name: string): number => numberIn(event?.data ?? {}, name);
  return (
    <>
      {event !== undefined && (
        <div className="strong">
          {words.values.range(format.percent(number('from_percentage')), format.percent(number('to_percentage')))}
        </div>
      )}
      <div className="meta">
        {[
          event === undefined ? '' : words.values.about(format.volume(number('lost_volume'), unitIn(event.data))),
          seenAt === null ? '' : words.today.seen(format.ago(nowMs - Date.parse(seenAt))),
        ]
          .filter((part) => part !== '')
          .join(', ')}
      </div>
    </>
  );
}

function Refill({ status: { refilled, volume } }: { status: TankStatus }) {
  const { values } = useWords();
  const format = useFormat();
  if (refilled === null) return values.none;
  return (
    <>
      <div>{values.about(`+${format.volume(refilled.delivered_volume, volume.unit)}`)}</div>
      <div className="meta">{format.dateTime(refilled.at)}</div>
    </>
  );
}
