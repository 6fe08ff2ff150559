import {
  FLEET_SORTS,
  type ListTankStatusesParameters,
  TANK_STATUSES,
  type TankStatus,
  type TankStatusPage,
  USE_CASES,
} from '@tankwatch/client';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { fleet } from '../api.ts';
import { csvSearch } from '../csv.ts';
import { useTitle } from '../frame/title.ts';
import { DidYouMean } from '../parts/did_you_mean.tsx';
import { lazyComponent } from '../parts/lazy_component.tsx';
import { NoTanks } from '../parts/no_tanks.tsx';
import { FIRST_PAGE, Pager } from '../parts/pager.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { useReorder } from '../parts/reorder.ts';
import { StatusChips } from '../parts/status_chips.tsx';
import { TankTable } from '../parts/tank_table.tsx';
import { useTranslation } from '../preferences_and_words.tsx';
import { isSearchable } from '../search_words.ts';
import { SECTIONS } from '../sections.ts';
import { useUrlState } from '../url_state.ts';
import { FilterBar } from './filter_bar.tsx';

/** The map is loaded when the viewer opens it. */
const FleetMapView = lazyComponent(
  async () => (await import('../map/fleet_map.tsx')).FleetMapView,
  <Skeleton rows={10} />,
);

const PAGE_SIZE = 100;

/** Clears all filters: the parameters of the URL that `fleetQuery` reads, without `sort`. */
const NO_FILTERS = Object.fromEntries(
  ['status', 'section', 'within', 'dip', 'order', 'use', 'place', 'customer', 'q', 'near', 'bbox'].map((name) => [
    name,
    undefined,
  ]),
);

/** Whether filters other than the status leave tanks out. */
export const isNarrowed = ({ status: _status, sort: _sort, ...others }: ListTankStatusesParameters): boolean =>
  Object.values(others).some((value) => value !== undefined);

/** The filters in the URL. Invalid values are left out. */
function fleetQuery(given: URLSearchParams): ListTankStatusesParameters {
  const days = Number(given.get('within'));
  return {
    status: TANK_STATUSES.find((name) => name === given.get('status')),
    section: SECTIONS.find((name) => name === given.get('section')),
    dip: given.get('dip') === 'wanted' ? 'wanted' : undefined,
    order: given.get('order') === 'due' ? 'due' : undefined,
    within_days: Number.isInteger(days) && days > 0 && days <= 730 ? days - 1 : undefined, // today is the first day
    use_case: USE_CASES.find((name) => name === given.get('use')),
    city: given.get('place') ?? undefined,
    owner_id: given.get('customer') ?? undefined,
    q: isSearchable(given.get('q') ?? '') ? (given.get('q') ?? undefined) : undefined,
    ...nearQuery(given.get('near')),
    bbox: /^(-?\d{1,3}(\.\d{1,6})?(,|$)){4}$/.test(given.get('bbox') ?? '')
      ? (given.get('bbox') ?? undefined)
      : undefined,
    sort: FLEET_SORTS.find((name) => name === given.get('sort')) ?? 'urgency',
  };
}

/** The map opens a list of all tanks within this distance if it cannot zoom in further. */
const NEAR_KM = 0.2;
const nearQuery = (near: string | null): Pick<ListTankStatusesParameters, 'near' | 'km'> =>
  near !== null && /^-?\d{1,2}(\.\d{1,6})?,-?\d{1,3}(\.\d{1,6})?$/.test(near) ? { near, km: NEAR_KM } : {};

export function FleetPage() {
  const words = useTranslation();
  const { given, href, change } = useUrlState();
  useTitle(words.fleet.title);
  const filters = fleetQuery(given);
  const isMap = given.get('view') === 'map';
  return (
    <>
      <div className="page-head">
        <h1>{words.fleet.title}</h1>
        <nav className="view-switch" aria-label={words.map.switchLabel}>
          <Link href={href({ view: undefined, at: undefined })} aria-current={isMap ? undefined : 'true'}>
            {words.map.list}
          </Link>
          <Link href={href({ ...FIRST_PAGE, bbox: undefined, view: 'map' })} aria-current={isMap ? 'true' : undefined}>
            {words.map.map}
          </Link>
        </nav>
        <a className="button" href={`/fleet/v1/tanks.csv${csvSearch({ ...filters, sort: undefined })}`} download>
          {words.fleet.csv}
        </a>
      </div>
      <StatusChips
        selected={filters.status}
        isNarrowed={isNarrowed(filters)}
        hrefOf={(status) => {
          const chosen = status === undefined ? NO_FILTERS : { section: undefined, status };
          return href({ ...(isMap ? {} : FIRST_PAGE), ...chosen });
        }}
      />
      {isMap ? (
        <>
          <FilterBar given={given} onChange={change} />
          <FleetMapView filters={filters} isNarrowed={isNarrowed(filters)} />
        </>
      ) : (
        <FleetList />
      )}
    </>
  );
}

function FleetList() {
  const { fleet: texts } = useTranslation();
  const { given, href, change } = useUrlState();
  const queryClient = useQueryClient();
  const filters = fleetQuery(given);
  const parameters = {
    ...filters,
    size: PAGE_SIZE,
    include: 'spark' as const,
    after: given.get('after') ?? undefined,
    before: given.get('before') ?? undefined,
  };
  const key = ['tanks', parameters];
  const [changedIds, setChangedIds] = useState<ReadonlySet<string>>(new Set());
  const { data, error, refetch } = useQuery<TankStatusPage>({
    queryKey: key,
    queryFn: async ({ signal }) => fleet.tanks(parameters, { signal }),
    placeholderData: keepPreviousData,
  });
  const reorder = useReorder(data?.data.map(({ tank }) => tank.id) ?? [], {
    onValues: (rows) => {
      const byId = new Map(rows.map((row) => [row.tank.id, row]));
      const isOther = (row: TankStatus): boolean =>
        JSON.stringify(byId.get(row.tank.id) ?? row) !== JSON.stringify(row);
      // When a stream opens, all rows are read again. Only rows that differ are marked.
      const before = queryClient.getQueryData<TankStatusPage>(key);
      setChangedIds(new Set(before?.data.filter(isOther).map(({ tank }) => tank.id)));
      queryClient.setQueryData<TankStatusPage>(key, (page) =>
        page === undefined ? page : { ...page, data: page.data.map((row) => byId.get(row.tank.id) ?? row) },
      );
    },
    onReorder: () => void queryClient.invalidateQueries({ queryKey: ['tanks'] }),
  });

  return (
    <>
      <FilterBar
        given={given}
        onChange={(values) => change({ ...FIRST_PAGE, ...values })}
        changedCount={reorder.changedCount}
        onReorder={reorder.showOrder}
      />
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={10} />}
      {data !== undefined && data.data.length === 0 && (
        <EmptyFleet status={filters.status} isFiltered={given.size > 0}>
          {filters.q !== undefined && (
            <DidYouMean q={filters.q} list="tanks" hrefOf={(q) => href({ ...FIRST_PAGE, q })} />
          )}
        </EmptyFleet>
      )}
      {data !== undefined && data.data.length > 0 && (
        <>
          <TankTable
            rows={data.data}
            changed={changedIds}
            sort={filters.sort ?? 'urgency'}
            onSort={(sort) => change({ ...FIRST_PAGE, sort: sort === 'urgency' ? undefined : sort })}
            placeHref={(place) => href({ ...FIRST_PAGE, place })}
          />
          <Pager page={data} pageSize={PAGE_SIZE} label={texts.title} given={given} href={href} />
        </>
      )}
    </>
  );
}

interface EmptyFleetProps {
  status: ListTankStatusesParameters['status'];
  isFiltered: boolean;
  children: ReactNode;
}

function EmptyFleet({ status, isFiltered, children }: EmptyFleetProps) {
  const { fleet: texts } = useTranslation();
  if (!isFiltered) return <NoTanks />;
  return (
    <p className="notice">
      {status === undefined ? texts.none : texts.emptyStatus[status]} {children}{' '}
      <Link href="/fleet">{texts.clear}</Link>
    </p>
  );
}
