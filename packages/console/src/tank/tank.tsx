import type { TankStatus } from '@tankwatch/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { fleet, type Session } from '../api.ts';
import { useNow } from '../clock.ts';
import { useTitle } from '../frame/title.ts';
import { useLive } from '../live/use_live.ts';
import { OwnerLeak } from '../owner/owner_leak.tsx';
import { StatusBadge } from '../parts/badge.tsx';
import { lazyComponent } from '../parts/lazy_component.tsx';
import { Phones } from '../parts/phones.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { UsageBars } from '../parts/usage_bars.tsx';
import { useIsPhone } from '../parts/use_phone.ts';
import { ProductWords, useFormat, useTranslation } from '../preferences_and_words.tsx';
import { useCan } from '../session.ts';
import { addressOf, isLosing, nameOf } from '../status.ts';
import { tankQuery } from '../tank_query.ts';
import { LeakNotice } from './leak_notice.tsx';
import { PlannedDelivery } from './planned_delivery.tsx';
import { TankFigures } from './tank_figures.tsx';
import { TankHistory, useTankSeries } from './tank_history.tsx';
import { Timeline } from './timeline.tsx';

/** Loaded only for a tank with weather. */
const WeatherSentence = lazyComponent(async () => (await import('./weather_sentence.tsx')).WeatherSentence);

/** Loaded only for a tank without a sensor. */
const DipPanel = lazyComponent(async () => (await import('./dip_panel.tsx')).DipPanel);
/** Loaded only for viewers who may change something. */
const TankAlerts = lazyComponent(async () => (await import('./tank_actions.tsx')).TankAlerts);
const ReadNotes = lazyComponent(async () => (await import('./read_notes.tsx')).ReadNotes);
const TankCatalog = lazyComponent(async () => (await import('../catalog/tank_catalog.tsx')).TankCatalog);
const TankCards = lazyComponent(async () => (await import('./tank_actions.tsx')).TankCards);

/** A text that changes when the history of the tank has to be read again. */
const historyMark = ({ reading, handled, muted_until }: TankStatus): string =>
  JSON.stringify([reading?.created_at, handled, muted_until]);

interface TankPageProps {
  id: string;
  isOwner: boolean;
  organization: Session['organization'];
}

export function TankPage({ id, isOwner, organization }: TankPageProps) {
  const words = useTranslation();
  const format = useFormat();
  const nowMs = useNow();
  const queryClient = useQueryClient();
  const canChange = useCan('catalog');
  const isPhone = useIsPhone(); // on a phone, the buttons that are seldom used are below the level
  const canAct = useCan('notes'); // every role that may change something may write notes
  const { data: status, error, refetch } = useQuery(tankQuery(id));
  const events = useQuery({
    queryKey: ['tank', id, 'events'],
    queryFn: ({ signal }) => fleet.tankEvents(id, { size: 200, retracted: 'include' }, { signal }),
  });
  const readAgain = (): void => {
    const before = status === undefined ? '' : historyMark(status);
    void refetch().then(async ({ data }) => {
      // The chart and the events are read again only if the reading, an acknowledgement or the mute has changed.
      if (data === undefined || historyMark(data) === before) return undefined;
      return queryClient.invalidateQueries({
        queryKey: ['tank', id],
        predicate: ({ queryKey }) => queryKey.length > 2,
      });
    });
  };
  useLive({ tankIds: [id], onChanged: (ids) => ids.includes(id) && readAgain(), onCatchUp: readAgain });
  useTankSeries(id, status !== undefined && isLosing(status)); // Requested before the tank has arrived.
  useTitle(status === undefined ? words.tank.facts : nameOf(status.tank));

  if (error !== null && status === undefined) {
    return (
      <>
        <ProblemNotice error={error} notFound={words.tank.notFound} onRetry={() => void refetch()} />
        <p>
          <Link href={isOwner ? '/' : '/fleet'}>{words.tank.back}</Link>
        </p>
      </>
    );
  }
  if (status === undefined) return <Skeleton rows={12} />;
  const { tank, owner } = status;
  return (
    <ProductWords product={status.product}>
      <div className="page-head">
        <h1>
          {tank.name} {tank.custom_id !== null && <span className="no">{tank.custom_id}</span>}{' '}
          <StatusBadge status={status} nowMs={nowMs} />
        </h1>
        {canChange && !isPhone && <TankCatalog status={status} />}
      </div>
      <p className="facts">
        {!isOwner && (
          <span>
            <Link href={`/customers/${owner.id}`}>{owner.name}</Link>
            {owner.external_key !== null && <span className="meta"> {owner.external_key}</span>}
          </span>
        )}
        {!isOwner && <Phones phones={owner.phones} />}
        <span>{addressOf(status)}</span>
        <span>
          {words.tank.capacity} {format.volume(tank.capacity, tank.capacity_unit)}
        </span>
        <span>
          {words.tank.device} {tank.assigned_device_id}
        </span>
      </p>
      {!isLosing(status) && <TankFigures status={status} nowMs={nowMs} />}
      {status.dip !== null && <DipPanel status={status} />}
      <PlannedDelivery status={status} nowMs={nowMs} />
      {status.weather !== null && <WeatherSentence weather={status.weather} unit={tank.capacity_unit} />}
      {isLosing(status) && isOwner && <OwnerLeak status={status} organization={organization} />}
      {isLosing(status) && !isOwner && <LeakNotice status={status} emergencyNumber={organization.emergencyNumber} />}
      {canAct && <TankAlerts status={status} />}
      {canAct && <TankCards status={status} nowMs={nowMs} />}
      {!canAct && status.notes.length > 0 && <ReadNotes notes={status.notes} />}
      {canChange && isPhone && <TankCatalog status={status} />}
      <TankHistory status={status} events={events.data?.events ?? []} />
      {events.error !== null && <ProblemNotice error={events.error} onRetry={() => void events.refetch()} />}
      <UsageBars id={id} unit={tank.capacity_unit} />
      <Timeline status={status} />
    </ProductWords>
  );
}
