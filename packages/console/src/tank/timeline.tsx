import type { TankStatus, Timeline as TimelinePage } from '@tankwatch/client';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { zonedDate } from '../../../../src/values/zoned_time.ts';
import { fleet } from '../api.ts';
import { useNow } from '../clock.ts';
import { sentence } from '../format.ts';
import { BROWSER_ZONE, useZone } from '../organization.ts';
import { Button } from '../parts/button.tsx';
import { Panel } from '../parts/panel.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { TIMELINE_TEXTS } from '../translations/timeline.ts';
import { useUrlState } from '../url_state.ts';
import { daysOf, hasTime } from './timeline_days.ts';
import { TimelineIcon } from './timeline_icon.tsx';
import { TimelineText } from './timeline_text.tsx';
import '../styles/timeline.css';

const PAGE_SIZE = 30;
const KINDS = ['level', 'event', 'mail', 'text', 'act', 'delivery', 'note'] as const;
type Kind = (typeof KINDS)[number];
type Entry = TimelinePage['entries'][number];

/** Everything that happened to a tank in one list, newest first. */
export function Timeline({ status: { tank } }: { status: TankStatus }) {
  const { format } = usePreferences();
  const texts = useTexts(TIMELINE_TEXTS);
  const zone = useZone();
  const { given, href } = useUrlState();
  const kind = KINDS.find((name) => name === given.get('only'));
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['tank', tank.id, 'timeline', kind],
    queryFn: ({ signal, pageParam }) =>
      fleet.timeline(tank.id, { kind, size: PAGE_SIZE, after: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  });
  const entries = data?.pages.flatMap((page) => page.entries) ?? [];
  const last = entries.at(-1);
  return (
    <Panel id="timeline" title={texts.title} className="timeline" action={<span className="meta">{texts.help}</span>}>
      <Chips counts={data?.pages[0]?.counts ?? null} selected={kind} hrefOf={(only) => href({ only })} />
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={4} />}
      {data !== undefined && entries.length === 0 && <p className="meta">{texts.empty}</p>}
      {daysOf(entries, { browser: BROWSER_ZONE, organization: zone }).map(([day, ofDay]) => (
        <Day key={day} day={day} entries={ofDay} tank={tank} />
      ))}
      {hasNextPage && last !== undefined && (
        <Button className="no-print" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {isFetchingNextPage ? texts.loading : texts.older(format.dateWithYear(last.at))}
        </Button>
      )}
    </Panel>
  );
}

interface ChipsProps {
  counts: TimelinePage['counts'];
  selected: Kind | undefined;
  hrefOf: (kind: Kind | undefined) => string;
}

/** A chip for each kind of entry, with its count in the whole timeline. */
function Chips({ counts, selected, hrefOf }: ChipsProps) {
  const { format } = usePreferences();
  const texts = useTexts(TIMELINE_TEXTS);
  const shown = KINDS.filter((name) => name === selected || (counts?.[name] ?? 0) > 0);
  const all = counts === null ? null : KINDS.reduce((sum, name) => sum + counts[name], 0);
  return (
    <nav className="chips no-print" aria-label={texts.filter}>
      <Link className="chip" href={hrefOf(undefined)} aria-current={selected === undefined ? 'true' : undefined}>
        {texts.all} <b>{all === null ? ' ' : format.count(all)}</b>
      </Link>
      {shown.map((name) => (
        <Link key={name} className="chip" href={hrefOf(name)} aria-current={name === selected ? 'true' : undefined}>
          {texts.kinds[name]} <b>{counts === null ? ' ' : format.count(counts[name])}</b>
        </Link>
      ))}
    </nav>
  );
}

interface DayProps {
  /** Such as 2026-11-17. */
  day: string;
  entries: readonly Entry[];
  tank: TankStatus['tank'];
}

function Day({ day, entries, tank }: DayProps) {
  const { format } = usePreferences();
  const texts = useTexts(TIMELINE_TEXTS);
  const today = zonedDate(useNow(), BROWSER_ZONE);
  const noon = `${day}T12:00:00`;
  const isThisYear = day.slice(0, 4) === today.slice(0, 4);
  const long = sentence(isThisYear ? format.longDay(day) : `${format.weekday(noon)} ${format.dateWithYear(noon)}`);
  const isToday = day === today;
  return (
    <>
      <h3>
        {isToday ? texts.today : long} {isToday && <span className="meta">{long}</span>}
      </h3>
      <ol>
        {entries.map((entry) => (
          <li key={entry.id} className={isFailed(entry) ? 'bad' : undefined} data-kind={entry.kind}>
            <time className="meta" dateTime={entry.at} title={hasTime(entry) ? format.fullTime(entry.at) : undefined}>
              {hasTime(entry) && format.time(entry.at)}
            </time>
            <TimelineIcon entry={entry} />
            <div>
              <TimelineText entry={entry} tank={tank} />
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}

const isFailed = ({ mail, text }: Entry): boolean =>
  (mail?.to.some(({ failed_because }) => failed_because !== null) ?? false) ||
  (text?.to.some(({ status }) => status === 'failed') ?? false);
