import type { TankStatus } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { fleet, type Session } from '../api.ts';
import { useReadAgain } from '../change/read_again.ts';
import { useNow } from '../clock.ts';
import { useTitle } from '../frame/title.ts';
import { useLive } from '../live/use_live.ts';
import { Facts } from '../parts/facts.tsx';
import { UprightGlyph } from '../parts/glyph.tsx';
import { lazyComponent } from '../parts/lazy_component.tsx';
import { StatusMark } from '../parts/marks.tsx';
import { telOf } from '../parts/phone.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { usePreferences, useTranslation } from '../preferences_and_words.tsx';
import {
  isDeliveredInTime,
  isLosing,
  isOutdated,
  levelNote,
  levelOf,
  msUntil,
  oldLevel,
  volumeLeft,
} from '../status.ts';
import { PlannedDelivery } from '../tank/planned_delivery.tsx';
import { OwnerLeak } from './owner_leak.tsx';
import { OwnerReminders } from './owner_reminders.tsx';
import '../styles/owner.css';

/** Loaded only for a tank without a sensor. */
const DipPanel = lazyComponent(async () => (await import('../tank/dip_panel.tsx')).DipPanel);

type Organization = Session['organization'];

/** The tanks of one customer, on a phone: how full they are, how long they last, and whether to call. */
export function OwnerPage({ session: { organization, customer } }: { session: Session }) {
  const words = useTranslation();
  useTitle(words.owner.hello);
  const { data, error, refetch } = useQuery({
    queryKey: ['owner'],
    queryFn: async ({ signal }) => fleet.tanks({ size: 100 }, { signal }),
  });
  const rows = data?.data ?? [];
  const readAgain = useReadAgain(['owner']);
  useLive({
    tankIds: rows.map(({ tank }) => tank.id),
    onChanged: readAgain,
    onUrgent: readAgain,
    onCatchUp: readAgain,
  });
  if (error !== null && data === undefined) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={6} />;
  if (rows.length === 0) return <p className="notice">{words.owner.noTanks}</p>;
  return (
    <>
      <h1 className="hidden">{words.owner.hello}</h1>
      {rows.filter(isLosing).map((status) => (
        <OwnerLeak key={status.tank.id} status={status} organization={organization} />
      ))}
      {rows
        .filter((status) => !isLosing(status))
        .map((status) => (
          <OwnerTank key={status.tank.id} status={status} organization={organization} />
        ))}
      {typeof customer?.remindersOffSince === 'string' && <OwnerReminders offSince={customer.remindersOffSince} />}
    </>
  );
}

function OwnerTank({ status, organization }: { status: TankStatus; organization: Organization }) {
  const { words, format } = usePreferences();
  const nowMs = useNow();
  const { reading, volume, refilled, tank } = status;
  const level = levelOf(status);
  const left = volumeLeft(status);
  const isOld = isOutdated(status);
  const isLow = status.status.includes('low') && !isOld;
  const isTakenCareOf = status.handled.length > 0 || isDeliveredInTime(status);
  const threshold = format.percent(tank.min_fill_alert_percentage);
  return (
    <article className="owner-tank">
      <h2>
        {tank.name} {tank.custom_id !== null && <span className="no">{tank.custom_id}</span>}
      </h2>
      <p className="meta">
        <LevelTime status={status} />
      </p>
      <div className="owner-level">
        <UprightGlyph status={status} />
        <div>
          <div className={isOld ? 'owner-figure old' : 'owner-figure'}>
            {level === null
              ? words.values.unknown
              : isOld
                ? oldLevel(status, format.percent(level), { ...words.values, was: words.owner.was })
                : format.percent(level)}
          </div>
          {left !== null && <div>{words.values.about(format.volume(left, volume.unit))}</div>}
          {!isOld && <TimeLeft status={status} isLow={isLow} nowMs={nowMs} />}
        </div>
      </div>
      {isLow && (
        <p>
          <span className="badge low">
            <StatusMark status="low" />
            {words.owner.lowBadge(threshold)}
          </span>
        </p>
      )}
      {status.dip !== null && <DipPanel status={status} />}
      <PlannedDelivery status={status} nowMs={nowMs} />
      <Advice status={status} organization={organization} />
      {organization.phone !== null && (
        <a
          className={(isLow && !isTakenCareOf) || isOld ? 'button primary call' : 'button call'}
          href={telOf(organization.phone)}
        >
          {words.owner.call(organization.name)} <span className="call-number">{organization.phone}</span>
        </a>
      )}
      <Facts
        className="owner-facts"
        facts={[
          refilled !== null && [
            words.owner.lastRefill,
            <>
              {format.date(refilled.at)} · +{format.volume(refilled.delivered_volume, volume.unit)}{' '}
              <span className="meta">({words.tank.estimate})</span>
            </>,
          ],
          volume.use_per_day !== null && [
            words.owner.use,
            words.values.perDay(format.volume(volume.use_per_day, volume.unit)),
          ],
        ]}
      />
      {reading !== null && (
        <p>
          <Link href={`/tanks/${tank.id}`}>{words.owner.history}</Link>
        </p>
      )}
    </article>
  );
}

/** The age of the level. If the gauge is unreliable, it is the age of the last reliable level. */
function LevelTime({ status }: { status: TankStatus }) {
  const { words, format } = usePreferences();
  const isQuestioned = status.status.includes('gauge_unreliable');
  const note = isQuestioned ? '' : levelNote(status, words, format);
  if (note !== '') return note;
  const reading = (isQuestioned ? status.last_believable : null) ?? status.reading;
  return reading === null ? words.values.noReading : words.owner.reading(format.dateTime(reading.created_at));
}

/** The time until a low tank is empty, or until another tank is low. */
function TimeLeft({ status, isLow, nowMs }: { status: TankStatus; isLow: boolean; nowMs: number }) {
  const { words, format } = usePreferences();
  const expected = isLow ? status.empty : status.threshold;
  const likelyMs = msUntil(expected?.likely_at, nowMs);
  const earliestMs = msUntil(expected?.earliest_at, nowMs);
  const latestMs = msUntil(expected?.latest_at, nowMs);
  if (likelyMs === null || likelyMs <= 0) return null;
  const range =
    earliestMs === null || latestMs === null
      ? ''
      : words.values.range(...format.rangeEnds(earliestMs, latestMs, likelyMs));
  const threshold = format.percent(status.tank.min_fill_alert_percentage);
  return (
    <>
      <div className="strong">{(isLow ? words.owner.emptyIn : words.owner.lasts)(format.until(likelyMs))}</div>
      {range !== '' && (
        <div className="meta">{isLow ? words.owner.emptyRange(range) : words.owner.lastsRange(threshold, range)}</div>
      )}
    </>
  );
}

/** What the owner has to do now. */
function Advice({ status, organization }: { status: TankStatus; organization: Organization }) {
  const { words, format } = usePreferences();
  const { owner } = words;
  const { reading, last_believable: believable } = status;
  const has = (name: TankStatus['status'][number]): boolean => status.status.includes(name);
  if (status.dip !== null && isOutdated(status)) return null;
  if (reading === null) return <p className="advice">{owner.notYet}</p>;
  if (has('gauge_unreliable')) {
    const level = format.percent(believable?.fill_percentage ?? 0);
    const text =
      believable === null
        ? owner.gauge
        : owner.gaugeSince(level, format.date(believable.created_at), format.percent(reading.fill_percentage));
    return <p className="advice">{text}</p>;
  }
  if (has('silent') && status.silent_since !== null) {
    return <p className="advice">{owner.old(format.dateTime(status.silent_since))}</p>;
  }
  if (has('low') && status.handled.length > 0) return <p className="advice">{owner.isHandled(organization.name)}</p>;
  if (has('low') && isDeliveredInTime(status)) return <p className="advice">{owner.isPlanned}</p>;
  if (has('low')) return <p className="advice urgent">{owner.isLow}</p>;
  return <p className="advice">{owner.enough}</p>;
}
