import type { TankStatus } from '@tankwatch/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { fleet, type Session } from '../api.ts';
import { useNow } from '../clock.ts';
import { useTitle } from '../frame/title.ts';
import { useLiveTanks } from '../live.ts';
import { UprightGlyph } from '../parts/glyph.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { usePreferences, useWords } from '../preferences.tsx';
import { isOutdated, levelOf, msUntil, oldLevel } from '../status.ts';

type Organization = Session['organization'];

/** The tanks of one customer, on a phone: how much, how long, and whether to call. */
export function OwnerPage({ organization }: { organization: Organization }) {
  const words = useWords();
  const queryClient = useQueryClient();
  useTitle(words.owner.hello);
  const { data, error, refetch } = useQuery({
    queryKey: ['owner'],
    queryFn: async ({ signal }) => fleet.tanks({ size: 100 }, { signal }),
  });
  const rows = data?.data ?? [];
  useLiveTanks(
    rows.map(({ tank }) => tank.id),
    () => void queryClient.invalidateQueries({ queryKey: ['owner'] }),
  );
  if (error !== null && data === undefined) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={6} />;
  if (rows.length === 0) return <p className="notice">{words.owner.noTanks}</p>;
  return (
    <>
      <h1 className="hidden">{words.owner.hello}</h1>
      {rows.map((status) => (
        <OwnerTank key={status.tank.id} status={status} organization={organization} />
      ))}
    </>
  );
}

function OwnerTank({ status, organization }: { status: TankStatus; organization: Organization }) {
  const { words, format } = usePreferences();
  const nowMs = useNow();
  const { reading, volume, refilled, tank, threshold } = status;
  const level = levelOf(status);
  const isOld = isOutdated(status);
  const isLow = status.status.includes('low') && !isOld;
  const isUrgent = isLow || status.status.includes('losing');
  const likelyMs = msUntil(threshold?.likely_at, nowMs);
  const earliestMs = msUntil(threshold?.earliest_at, nowMs);
  const latestMs = msUntil(threshold?.latest_at, nowMs);
  const range =
    likelyMs !== null && earliestMs !== null && latestMs !== null
      ? words.values.range(...format.rangeEnds(earliestMs, latestMs))
      : '';
  return (
    <article className="owner-tank">
      <h2>{tank.name}</h2>
      <p className="meta">
        {reading === null ? words.values.noReading : words.owner.reading(format.dateTime(reading.created_at))}
      </p>
      <div className="owner-level">
        <UprightGlyph status={status} />
        <div>
          <div className={isOld ? 'owner-figure old' : 'owner-figure'}>
            {level === null
              ? words.values.unknown
              : isOld
                ? oldLevel(status, format.percent(level), words.values)
                : format.percent(level)}
          </div>
          {volume.left !== null && !isOld && <div>{words.values.about(format.volume(volume.left, volume.unit))}</div>}
          {!isOld && !isLow && likelyMs !== null && likelyMs > 0 && (
            <>
              <div className="strong">{words.owner.lasts(format.until(likelyMs))}</div>
              {range !== '' && (
                <div className="meta">
                  {words.owner.lastsRange(format.percent(tank.min_fill_alert_percentage), range)}
                </div>
              )}
            </>
          )}
        </div>
      </div>
      <Advice status={status} />
      {organization.phone !== null && (
        <a
          className={isUrgent || isOld ? 'button primary call' : 'button call'}
          href={`tel:${organization.phone.replaceAll(' ', '')}`}
        >
          {words.owner.call(organization.name)}
        </a>
      )}
      <dl className="owner-facts">
        {refilled !== null && (
          <div>
            <dt>{words.owner.lastRefill}</dt>
            <dd>
              {format.date(refilled.at)} · +{format.volume(refilled.delivered_volume, volume.unit)}{' '}
              <span className="meta">({words.tank.estimate})</span>
            </dd>
          </div>
        )}
        {volume.use_per_day !== null && (
          <div>
            <dt>{words.owner.use}</dt>
            <dd>{words.values.perDay(format.volume(volume.use_per_day, volume.unit))}</dd>
          </div>
        )}
      </dl>
      <p>
        <Link href={`/tanks/${tank.id}`}>{words.owner.history}</Link>
      </p>
    </article>
  );
}

/** One sentence: what to do now. */
function Advice({ status }: { status: TankStatus }) {
  const { words, format } = usePreferences();
  const { owner } = words;
  const has = (name: TankStatus['status'][number]): boolean => status.status.includes(name);
  if (has('losing')) return <p className="advice urgent">{owner.losing}</p>;
  if (has('gauge_unreliable')) return <p className="advice">{owner.gauge}</p>;
  if (has('silent') && status.silent_since !== null) {
    return <p className="advice">{owner.old(format.dateTime(status.silent_since))}</p>;
  }
  if (has('low')) return <p className="advice urgent">{owner.isLow}</p>;
  return status.reading === null ? null : <p className="advice">{owner.enough}</p>;
}
