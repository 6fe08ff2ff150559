import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { fleet } from '../api.ts';
import { sentence } from '../format.ts';
import { LiveState } from '../frame/live_state.tsx';
import { useNextPages } from '../frame/next_pages.ts';
import { useTitle } from '../frame/title.ts';
import { useOrganizationDay } from '../organization.ts';
import { Jump } from '../parts/jump.tsx';
import { lazyComponent } from '../parts/lazy_component.tsx';
import { Icon } from '../parts/marks.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { useSummary } from '../parts/status_chips.tsx';
import { useIsPhone } from '../parts/use_phone.ts';
import { useFormat, useTranslation } from '../preferences_and_words.tsx';
import { SECTION_MARKS } from '../sections.ts';
import { useCan } from '../session.ts';
import { nameOf } from '../status.ts';
import { useLossInView } from './loss_in_view.ts';
import { useRowKeys } from './row_keys.ts';
import { SectionTable } from './today_section.tsx';
import { useToday } from './use_today.ts';

const FirstDay = lazyComponent(async () => (await import('./first_day.tsx')).FirstDay);
const OpenSteps = lazyComponent(async () => (await import('./first_day.tsx')).OpenSteps);

/** What a dispatcher needs in the morning. Each tank is in its most urgent section only. */
export function TodayPage() {
  const words = useTranslation();
  const format = useFormat();
  const today = useOrganizationDay();
  const sections = useToday();
  const summary = useSummary();
  const canAdd = useCan('contacts');
  const isPhone = useIsPhone();
  useTitle(words.pages.today);
  useRowKeys();

  const isLoading = sections.some((section) => section.isLoading);
  useLossInView(!isLoading && sections.some(({ name, rows }) => name === 'losing' && rows.length > 0));
  useNextPages({ isReady: !isLoading });
  if (isLoading) return <Skeleton rows={10} />;
  const missing = sections.filter(({ error }) => error !== null).map(({ name }) => `“${words.today.sections[name]}”`);
  // Before the first reading no tank is watched, so "nothing to do" would be wrong.
  const isFirstDay = summary.data !== undefined && summary.data.not_reporting_yet === summary.data.total;
  const isCalm = sections.every(({ name, count }) => count === 0 || name === 'refilled');
  return (
    <div className="today">
      <div className="page-head">
        <h1>{sentence(format.longDay(today))}</h1>
        {isPhone && <LiveState />}
        <Reporting />
        {missing.length > 0 && (
          <span className="incomplete" role="alert">
            <Icon name="warning" /> {words.today.incomplete(missing.join(', '))}
          </span>
        )}
      </div>
      {summary.error !== null && <ProblemNotice error={summary.error} onRetry={() => void summary.refetch()} />}
      {isFirstDay && <FirstDay summary={summary.data} />}
      {!isFirstDay && canAdd && summary.data !== undefined && <OpenSteps summary={summary.data} />}
      {!isFirstDay && (
        <nav className="strip" aria-label={words.today.onThisPage}>
          {sections.map(({ name, count }) => (
            <Jump
              key={name}
              section={name}
              mark={SECTION_MARKS[name]}
              text={words.today.sections[name]}
              count={count}
            />
          ))}
        </nav>
      )}
      {isCalm && !isFirstDay && <NothingToDo />}
      {sections.map((section) => (
        <SectionTable key={section.name} {...section} />
      ))}
      {sections.some(({ rows }) => rows.length > 0) && <Keys />}
    </div>
  );
}

/** The list of keyboard shortcuts. A phone does not show it. */
function Keys() {
  const { keys } = useTranslation().today;
  const canHandle = useCan('alerts');
  const shown = [
    ['J', 'K', keys.move],
    ['Enter', keys.open],
    ...(canHandle ? [['A', keys.handle]] : []),
    ['C', keys.call],
  ];
  return (
    <p className="meta keys no-print">
      {keys.label}{' '}
      {shown.map((parts) => (
        <span key={parts[0]}>
          {parts.slice(0, -1).map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}{' '}
          {parts.at(-1)}
        </span>
      ))}
    </p>
  );
}

/** How many tanks report, how many are silent, and how many have never been heard of. */
function Reporting() {
  const { today, events } = useTranslation();
  const format = useFormat();
  const { data } = useSummary();
  if (data === undefined || data.total === 0) return null;
  const { total, counts, not_reporting_yet: notYet, dips_wanted: dips, orders_due: orders } = data;
  const parts = [
    today.report(format.count(Math.max(0, total - counts.silent - notYet)), format.count(total)),
    counts.silent > 0 ? today.silentCount(counts.silent, format.count(counts.silent)) : '',
    notYet > 0 ? today.notYet(notYet, format.count(notYet)) : '',
  ];
  return (
    <span className="meta">
      {parts.filter(Boolean).join(', ')}
      {dips > 0 && (
        <>
          , <Link href="/fleet?dip=wanted">{today.dips(dips, format.count(dips))}</Link>
        </>
      )}
      {orders > 0 && (
        <>
          , <Link href="/fleet?order=due">{`${events['tank.order_due'].toLowerCase()}: ${format.count(orders)}`}</Link>
        </>
      )}
    </span>
  );
}

/** Shown if there is nothing to do, with the tank that is due next. */
function NothingToDo() {
  const { today } = useTranslation();
  const format = useFormat();
  const { data } = useQuery({
    queryKey: ['next'],
    queryFn: async ({ signal }) => fleet.tanks({ status: 'soon', size: 1 }, { signal }),
  });
  const next = data?.data[0];
  const nextAt = next?.threshold?.likely_at ?? null;
  return (
    <p className="notice">
      {today.calm} {next !== undefined && nextAt !== null && today.next(nameOf(next.tank), format.date(nextAt))}
    </p>
  );
}
