import type { ListDevicesParameters } from '@tankwatch/client';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { fleet } from '../api.ts';
import { csvSearch } from '../csv.ts';
import { useTitle } from '../frame/title.ts';
import { Button } from '../parts/button.tsx';
import { Jump } from '../parts/jump.tsx';
import { StatusMark } from '../parts/marks.tsx';
import { NoTanks } from '../parts/no_tanks.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { useSummary } from '../parts/status_chips.tsx';
import { usePreferences, useTexts, useTranslation } from '../preferences_and_words.tsx';
import { useCan } from '../session.ts';
import { DEVICE_TEXTS } from '../translations/devices.ts';
import { useUrlState } from '../url_state.ts';
import { Commissioners, Towns } from './device_filters.tsx';
import { DeviceTable } from './device_table.tsx';
import { StoredDeviceTable, storedDevicesQuery } from './stored_devices.tsx';
import '../styles/devices.css';
import '../styles/tabs.css';

/** The tabs. The first tab is the default. */
const SHOWN = ['trouble', 'taken_on', 'all', 'in_store'] as const;
const PAGE_SIZE = 100;
const REFRESH_MS = 60_000;
const TROUBLES = ['silent', 'fault', 'gauge_unreliable', 'battery_low', 'weak_signal', 'never_heard'] as const;
const MARKS = {
  silent: 'silent',
  fault: 'fault',
  gauge_unreliable: 'gauge_unreliable',
  battery_low: 'battery_low',
  weak_signal: 'weak_signal',
  never_heard: 'soon',
} as const;

/** The devices that a technician has to look at, by trouble: silent, fault, unreliable, weak, or never heard of. */
export function DevicesPage() {
  const { format } = usePreferences();
  const { pages, today } = useTranslation();
  const texts = useTexts(DEVICE_TEXTS);
  const { given, href, change } = useUrlState();
  const canExchange = useCan('devices');
  useTitle(pages.devices);
  const tabs = SHOWN.filter((one) => one !== 'in_store' || canExchange);
  const shown = tabs.find((one) => one === given.get('show')) ?? 'trouble';
  const [isAll, isInStore] = [shown === 'all', shown === 'in_store'];
  const city = given.get('place') ?? undefined;
  const by = given.get('by') ?? undefined;
  const filter: ListDevicesParameters = {
    state: shown === 'trouble' || shown === 'taken_on' ? shown : undefined,
    city,
    commissioned_by: by,
  };
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['devices', filter],
    queryFn: ({ signal, pageParam }) => fleet.devices({ ...filter, size: PAGE_SIZE, after: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
  const stored = useQuery({ ...storedDevicesQuery, enabled: canExchange });
  const hasNoTanks = useSummary().data?.total === 0; // then the page must not say that all devices report as usual
  const first = data?.pages[0];
  const devices = data?.pages.flatMap((page) => page.devices) ?? [];
  const troubled = first === undefined ? 0 : TROUBLES.reduce((sum, name) => sum + first.counts[name], 0);
  const inSections = shown === 'trouble' ? troubled : (first?.counts.taken_on ?? 0);
  const inAllTowns = first?.cities.reduce((sum, one) => sum + one.devices, 0) ?? 0;
  return (
    <div className="devices">
      <div className="page-head">
        <h1>{pages.devices}</h1>
        {first !== undefined && (
          <span className="meta">
            {texts.summary(troubled, format.count(troubled))}
            {first.counts.taken_on > 0 &&
              ` · ${texts.summaryTaken(first.counts.taken_on, format.count(first.counts.taken_on))}`}
          </span>
        )}
        <span className="actions no-print">
          {!isInStore && (
            <a className="button" href={`/fleet/v1/devices.csv${csvSearch(filter)}`} download>
              {texts.csv}
            </a>
          )}
          {canExchange && (
            <Link className="button primary" href="/commission">
              {texts.put}
            </Link>
          )}
        </span>
      </div>
      <nav className="tabs" aria-label={texts.tabs}>
        {tabs.map((one) => (
          <Link
            key={one}
            href={href({ show: one === 'trouble' ? undefined : one })}
            aria-current={one === shown ? 'true' : undefined}
          >
            {texts.shown[one]} {countOf(one)}
          </Link>
        ))}
      </nav>
      {isInStore && <StoredDeviceTable stored={stored} />}
      {!isInStore && error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {!isInStore && first === undefined && error === null && <Skeleton rows={10} />}
      {first !== undefined && shown === 'trouble' && (
        <nav className="strip" aria-label={today.onThisPage}>
          {TROUBLES.map((name) => (
            <Jump key={name} section={name} mark={MARKS[name]} text={texts.states[name]} count={first.counts[name]} />
          ))}
        </nav>
      )}
      {first !== undefined && !isInStore && (
        <div className="device-filters no-print">
          {(first.cities.length > 1 || city !== undefined) && (
            <Towns
              cities={first.cities}
              total={shown === 'trouble' ? inAllTowns : null}
              selected={city}
              hrefOf={(place) => href({ place })}
              onChoose={(place) => change({ place })}
            />
          )}
          <Commissioners
            people={first.commissioners}
            hasCounts={shown === 'trouble'}
            selected={by}
            onChoose={(id) => change({ by: id })}
          />
        </div>
      )}
      {first !== undefined &&
        !isInStore &&
        devices.length === 0 &&
        (hasNoTanks ? <NoTanks /> : <p className="notice">{noneText()}</p>)}
      {(isAll || shown === 'taken_on') && devices.length > 0 && <DeviceTable devices={devices} hasState />}
      {shown === 'trouble' &&
        TROUBLES.map((trouble) => {
          const ofTrouble = devices.filter(({ state }) => state === trouble);
          return (
            ofTrouble.length > 0 && (
              <section key={trouble} className="part" id={trouble} aria-labelledby={`${trouble}-title`}>
                <div className="section-head">
                  <h2 className="section-title" id={`${trouble}-title`}>
                    <StatusMark status={MARKS[trouble]} /> {texts.states[trouble]}{' '}
                    <span className="count">{format.count(first?.counts[trouble] ?? 0)}</span>
                  </h2>
                  <span className="meta">{texts.notes[trouble]}</span>
                </div>
                <DeviceTable devices={ofTrouble} />
              </section>
            )
          );
        })}
      {hasNextPage && !isInStore && (
        <p>
          <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {isFetchingNextPage
              ? texts.loading
              : `${texts.more}${isAll ? '' : ` (${format.count(devices.length)} / ${format.count(inSections)})`}`}
          </Button>
        </p>
      )}
    </div>
  );

  function countOf(tab: (typeof SHOWN)[number]): string {
    if (tab === 'in_store') return stored.data === undefined ? '' : format.count(stored.data.total);
    if (tab === 'all' || first === undefined) return '';
    return format.count(tab === 'trouble' ? troubled : first.counts.taken_on);
  }

  function noneText(): string {
    if (shown === 'taken_on') return texts.noneTaken;
    if (by !== undefined) return texts.noneOfPerson;
    if (isAll) return texts.none;
    return city === undefined ? texts.calm : texts.calmTown(city);
  }
}
