import { EVENT_TYPES, type History } from '@tankwatch/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { fleet } from '../api.ts';
import { DAY_MS } from '../format.ts';
import { Select } from '../forms/select.tsx';
import { useTitle } from '../frame/title.ts';
import { Button } from '../parts/button.tsx';
import { NoTanks } from '../parts/no_tanks.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { useSummary } from '../parts/status_chips.tsx';
import { Table } from '../parts/table.tsx';
import { ProductWords, usePreferences, useTranslation } from '../preferences_and_words.tsx';
import { useUrlState } from '../url_state.ts';
import { EventExport } from './event_export.tsx';
import { EventName, Retractable, reasonOf } from './event_text.tsx';
import { Followed } from './followed.tsx';
import { joinEvents } from './joined_events.ts';

const PAGE_SIZE = 100;
const SINCE_DAYS = { '1d': 1, '7d': 7, '30d': 30, '1y': 365 } as const;
type SinceName = keyof typeof SINCE_DAYS;
const SINCE: readonly SinceName[] = ['1d', '7d', '30d', '1y'];

/** What happened to all tanks, newest first. */
export function EventsPage() {
  const { words, format } = usePreferences();
  const texts = words.history;
  const { given, href, change } = useUrlState();
  useTitle(words.pages.events);
  const type = EVENT_TYPES.find((name) => name === given.get('type'));
  const since = SINCE.find((name) => name === given.get('since')) ?? '7d';
  const customer = given.get('customer') ?? undefined;
  const after = given.get('after') ?? undefined;
  const { data, error, refetch } = useQuery({
    queryKey: ['history', type, since, customer, after],
    queryFn: ({ signal }) =>
      fleet.history(
        {
          type,
          since: new Date(Date.now() - SINCE_DAYS[since] * DAY_MS),
          owner_id: customer,
          retracted: 'include',
          size: PAGE_SIZE,
          after,
        },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: after === undefined ? 60_000 : false,
  });
  const events = data?.events ?? [];
  return (
    <>
      <div className="page-head">
        <h1>{words.pages.events}</h1>
        <EventExport key={since} type={type} customer={customer} fromMs={Date.now() - SINCE_DAYS[since] * DAY_MS} />
      </div>
      <div className="filters">
        <label>
          <span className="meta">{texts.what}</span>
          <Select
            value={type ?? ''}
            options={[['', texts.anyType], ...EVENT_TYPES.map((name) => [name, words.events[name]] as const)]}
            onChange={(chosen) => change({ type: chosen, after: undefined })}
          />
        </label>
        <label>
          <span className="meta">{texts.since}</span>
          <Select
            value={since}
            options={SINCE.map((name) => [name, texts.ranges[name]])}
            onChange={(name) => change({ since: name === '7d' ? undefined : name, after: undefined })}
          />
        </label>
        {customer !== undefined && (
          <Button
            aria-label={words.fleet.remove(words.fleet.ofCustomer)}
            onClick={() => change({ customer: undefined, after: undefined })}
          >
            {events[0]?.owner.name ?? words.fleet.ofCustomer} <span aria-hidden="true">×</span>
          </Button>
        )}
      </div>
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={10} />}
      {data !== undefined && events.length === 0 && (
        <NoEvents isFiltered={type !== undefined || customer !== undefined} isLongest={since === '1y'} />
      )}
      {events.length > 0 && (
        <EventTable events={events} customerHref={(id) => href({ customer: id, after: undefined })} />
      )}
      {(after !== undefined || typeof data?.next === 'string') && (
        <nav className="pager" aria-label={words.pages.events}>
          <span className="meta">{texts.shown(format.count(events.length))}</span>
          {after !== undefined && (
            <Link className="button" href={href({ after: undefined })}>
              ‹ {texts.newest}
            </Link>
          )}
          {typeof data?.next === 'string' && (
            <Link className="button" href={href({ after: data.next })}>
              {texts.older} ›
            </Link>
          )}
        </nav>
      )}
    </>
  );
}

function NoEvents({ isFiltered, isLongest }: { isFiltered: boolean; isLongest: boolean }) {
  const { history: texts } = useTranslation();
  const { data: summary } = useSummary();
  if (summary?.total === 0) return <NoTanks />;
  return (
    <p className="notice">
      {isFiltered ? texts.noneOfType : texts.none}
      {!isLongest && ` ${texts.longer}`}
    </p>
  );
}

interface EventTableProps {
  events: History['events'];
  customerHref: (id: string) => string;
}

function EventTable({ events, customerHref }: EventTableProps) {
  const { words, format } = usePreferences();
  const { history: texts, fleet: list } = useTranslation();
  return (
    <Table className="stacked event-table" columns={[texts.when, list.columns.tank, texts.what, texts.why]}>
      {joinEvents(events, ({ tank }) => tank.id).map((event) => (
        <ProductWords key={event.id} product={event.tank.product}>
          <tr>
            <td className="when">
              <time dateTime={event.occurred_at}>{format.fullTime(event.occurred_at)}</time>
            </td>
            <th scope="row">
              <div className="tank-name">
                <Link href={`/tanks/${event.tank.id}`}>{event.tank.name}</Link>{' '}
                {event.tank.custom_id !== null && <span className="no">{event.tank.custom_id}</span>}
              </div>
              <div className="meta">
                <Link href={customerHref(event.owner.id)} className="quiet" title={texts.ofCustomer(event.owner.name)}>
                  {event.owner.name}
                </Link>
              </div>
            </th>
            <td>
              {event.retracted_at === null ? (
                <EventName type={event.type} isRecovery={event.isRecovery} />
              ) : (
                <s>
                  <EventName type={event.type} isRecovery={event.isRecovery} />
                </s>
              )}
            </td>
            <td className="why">
              <Retractable event={event}>{reasonOf(event, words, format)}</Retractable>
              <Followed event={event} />
            </td>
          </tr>
        </ProductWords>
      ))}
    </Table>
  );
}
