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

/** The tabs. The first one is the page without a choice. */
const SHOWN = ['trouble', 'taken_on', 'all'] as const;
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
  const shown = SHOWN.find((one) => one === given.get('show')) ?? 'trouble';
  const isAll = shown === 'all';
  const city = given.get('place') ?? undefined;
  const by = given.get('by') ?? undefined;
  const filter: ListDevicesParameters = { state: isAll ? undefined : shown, city, commissioned_by: by };
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
  const needy = first === undefined ? 0 : TROUBLES.reduce((sum, name) => sum + first.counts[name], 0);
  const inSections = shown === 'trouble' ? needy : (first?.counts.taken_on ?? 0);
  const inAllTowns = first?.cities.reduce((sum, one) => sum + one.devices, 0) ?? 0;
  return (
    <div className="devices">
      <div className="page-head">
        <h1>{pages.devices}</h1>
        {first !== undefined && (
          <span className="meta">
            {texts.summary(needy, format.count(needy))}
            {first.counts.taken_on > 0 &&
              ` · ${texts.summaryTaken(first.counts.taken_on, format.count(first.counts.taken_on))}`}
          </span>
        )}
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
        {SHOWN.map((one) => (
          <Link
            key={one}
            href={href({ show: one === 'trouble' ? undefined : one })}
            aria-current={one === shown ? 'true' : undefined}
          >
            {texts.shown[one]}{' '}
            {first !== undefined && one !== 'all' && format.count(one === 'trouble' ? needy : first.counts.taken_on)}
          </Link>
        ))}
      </nav>
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {first === undefined && error === null && <Skeleton rows={10} />}
      {first !== undefined && shown === 'trouble' && <Strip counts={first.counts} />}
      {first !== undefined && (
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
      {first !== undefined && devices.length === 0 && <p className="notice">{noneText()}</p>}
      {shown !== 'trouble' && devices.length > 0 && <DeviceTable devices={devices} hasState />}
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
      {hasNextPage && (
        <p>
          <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {isFetchingNextPage
              ? texts.loading
              : `${texts.more}${isAll ? '' : ` (${format.count(devices.length)} / ${format.count(inSections)})`}`}
          </button>
        </p>
      )}
    </div>
  );

  function noneText(): string {
    if (shown === 'taken_on') return texts.noneTaken;
    if (by !== undefined) return texts.noneOfPerson;
    if (isAll) return texts.none;
    return city === undefined ? texts.calm : texts.calmTown(city);
  }
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
    <nav className="chips" aria-label={texts.towns}>
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

interface CommissionersProps {
  people: FleetDevices['commissioners'];
  hasCounts: boolean;
  selected: string | undefined;
  onChoose: (id: string | undefined) => void;
}

/** Who put the devices on their tanks, also people who have left. */
function Commissioners({ people, hasCounts, selected, onChoose }: CommissionersProps) {
  const { format } = usePreferences();
  const texts = useTexts(DEVICE_TEXTS);
  if (people.length === 0 && selected === undefined) return null;
  return (
    <label className="commissioners">
      {texts.commissionedBy}{' '}
      <select value={selected ?? ''} onChange={({ target }) => onChoose(target.value || undefined)}>
        <option value="">{texts.anybody}</option>
        {people.map(({ id, name, devices }) => (
          <option key={id} value={id}>
            {name ?? texts.personLeft} {hasCounts && devices > 0 && format.count(devices)}
          </option>
        ))}
      </select>
    </label>
  );
}

function csvSearch(filter: ListDevicesParameters): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? '' : `?${search}`;
}
