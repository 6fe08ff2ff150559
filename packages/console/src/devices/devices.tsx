import type { FleetDevices, ListDevicesParameters } from '@tankwatch/client';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { fleet } from '../api.ts';
import { useTitle } from '../frame/title.ts';
import { StatusMark } from '../parts/marks.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { usePreferences, useTexts, useTranslation } from '../preferences.tsx';
import { useCan } from '../session.ts';
import { DEVICE_TEXTS } from '../translations/devices.ts';
import { useUrlState } from '../url_state.ts';
import { DeviceTable } from './device_table.tsx';
import '../styles/devices.css';

const PAGE_SIZE = 100;
const REFRESH_MS = 60_000;
const TROUBLES = ['silent', 'fault', 'gauge_unreliable', 'battery_low', 'weak_signal', 'never_heard'] as const;
const MARKS = {
  silent: 'silent',
  fault: 'gauge_unreliable',
  gauge_unreliable: 'gauge_unreliable',
  battery_low: 'low',
  weak_signal: 'silent',
  never_heard: 'soon',
} as const;
/** More towns than this are in a list to choose from. */
const MAX_TOWN_CHIPS = 7;

/** What a technician has to look at: devices that are silent, cannot measure, are unreliable or weak, or were never heard of. */
export function DevicesPage() {
  const { format } = usePreferences();
  const { pages } = useTranslation();
  const texts = useTexts(DEVICE_TEXTS);
  const { given, href, change } = useUrlState();
  const canExchange = useCan('devices');
  useTitle(pages.devices);
  const isAll = given.get('show') === 'all';
  const city = given.get('place') ?? undefined;
  const filter: ListDevicesParameters = { state: isAll ? undefined : 'trouble', city };
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['devices', filter],
    queryFn: ({ signal, pageParam }) => fleet.devices({ ...filter, size: PAGE_SIZE, after: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
  const first = data?.pages[0];
  const devices = data?.pages.flatMap((page) => page.devices) ?? [];
  const inTown = first === undefined ? 0 : TROUBLES.reduce((sum, name) => sum + first.counts[name], 0);
  const inAll = first?.cities.reduce((sum, one) => sum + one.devices, 0) ?? 0;
  return (
    <div className="devices">
      <div className="page-head">
        <h1>{pages.devices}</h1>
        {first !== undefined && <span className="meta">{texts.summary(inAll, format.count(inAll))}</span>}
        <span className="actions no-print">
          <a className="button" href={`/fleet/v1/devices.csv${csvSearch(filter)}`} download>
            {texts.csv}
          </a>
          {canExchange && (
            <Link className="button primary" href="/commission">
              {texts.put}
            </Link>
          )}
        </span>
      </div>
      <nav className="tabs" aria-label={texts.tabs}>
        <Link href={href({ show: undefined })} aria-current={isAll ? undefined : 'true'}>
          {texts.need} {first !== undefined && format.count(inAll)}
        </Link>
        <Link href={href({ show: 'all' })} aria-current={isAll ? 'true' : undefined}>
          {texts.all}
        </Link>
      </nav>
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {first === undefined && error === null && <Skeleton rows={10} />}
      {first !== undefined && !isAll && <Strip counts={first.counts} />}
      {first !== undefined && (first.cities.length > 1 || city !== undefined) && (
        <Towns
          cities={first.cities}
          total={isAll ? null : inAll}
          selected={city}
          hrefOf={(place) => href({ place })}
          onChoose={(place) => change({ place })}
        />
      )}
      {first !== undefined && devices.length === 0 && (
        <p className="notice">{isAll ? texts.none : city === undefined ? texts.calm : texts.calmTown(city)}</p>
      )}
      {isAll && devices.length > 0 && <DeviceTable devices={devices} hasState />}
      {!isAll &&
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
      {hasNextPage && (
        <p>
          <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {isFetchingNextPage
              ? texts.loading
              : `${texts.more}${isAll ? '' : ` (${format.count(devices.length)} / ${format.count(inTown)})`}`}
          </button>
        </p>
      )}
    </div>
  );
}

/** The counts of the sections, each a way to its section. */
function Strip({ counts }: Pick<FleetDevices, 'counts'>) {
  const { words, format } = usePreferences();
  const texts = useTexts(DEVICE_TEXTS);
  return (
    <nav className="strip" aria-label={words.today.onThisPage}>
      {TROUBLES.map((name) => {
        const content = (
          <>
            <StatusMark status={MARKS[name]} /> <span>{texts.states[name]}</span> <b>{format.count(counts[name])}</b>
          </>
        );
        return counts[name] === 0 ? (
          <span key={name} className="jump none">
            {content}
          </span>
        ) : (
          <a key={name} className="jump" href={`#${name}`}>
            {content}
          </a>
        );
      })}
    </nav>
  );
}

interface TownsProps extends Pick<FleetDevices, 'cities'> {
  /** Null: the list has also devices that the counts do not have. */
  total: number | null;
  selected: string | undefined;
  hrefOf: (city: string | undefined) => string;
  onChoose: (city: string) => void;
}

function Towns({ cities, total, selected, hrefOf, onChoose }: TownsProps) {
  const { format } = usePreferences();
  const texts = useTexts(DEVICE_TEXTS);
  const named = cities.filter(({ city }) => city !== '');
  const [chips, others] = [named.slice(0, MAX_TOWN_CHIPS), named.slice(MAX_TOWN_CHIPS)];
  const isElsewhere = selected !== undefined && !chips.some(({ city }) => city === selected);
  return (
    <nav className="chips no-print" aria-label={texts.towns}>
      <Link className="chip" href={hrefOf(undefined)} aria-current={selected === undefined ? 'true' : undefined}>
        {texts.allTowns} {total !== null && <b>{format.count(total)}</b>}
      </Link>
      {chips.map(({ city, devices }) => (
        <Link key={city} className="chip" href={hrefOf(city)} aria-current={city === selected ? 'true' : undefined}>
          {city} {total !== null && <b>{format.count(devices)}</b>}
        </Link>
      ))}
      {(others.length > 0 || isElsewhere) && (
        <select
          aria-label={texts.moreTowns(format.count(others.length))}
          value={isElsewhere ? selected : ''}
          onChange={({ target }) => onChoose(target.value)}
        >
          <option value="">{texts.moreTowns(format.count(others.length))}</option>
          {isElsewhere && !others.some(({ city }) => city === selected) && <option>{selected}</option>}
          {others.map(({ city, devices }) => (
            <option key={city} value={city}>
              {total === null ? city : `${city} ${format.count(devices)}`}
            </option>
          ))}
        </select>
      )}
    </nav>
  );
}

function csvSearch(filter: ListDevicesParameters): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? '' : `?${search}`;
}
