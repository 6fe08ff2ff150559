import type { TankStatus } from '@tankwatch/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { fleet } from '../api.ts';
import { useNow } from '../clock.ts';
import { sentence } from '../format.ts';
import { useLive } from '../live/use_live.ts';
import { Button } from '../parts/button.tsx';
import { Icon, StatusMark } from '../parts/marks.tsx';
import { telOf } from '../parts/phone.tsx';
import { usePreferences, useWordsOf } from '../preferences_and_words.tsx';
import { countOf, SECTION_KEY, sectionHref, sectionQuery } from '../sections.ts';
import { isLosing, levelOf, msUntil, nameOf } from '../status.ts';

/**
 * Shows the newest loss and the tanks that became low while the page was open, on every page except the page of that
 * tank, which has more details. A loss cannot be closed.
 */
export function Alarm({ isOwner = false }: { isOwner?: boolean }) {
  const { format } = usePreferences();
  const [path] = useLocation();
  const queryClient = useQueryClient();
  const { data } = useQuery(sectionQuery('losing', isOwner));
  const [low, setLow] = useState<readonly TankStatus[]>([]);
  /** Tanks whose loss was found while the page was open, the newest first. */
  const [found, setFound] = useState<readonly string[]>([]);
  useLive({
    onUrgent({ tankId, type }) {
      for (const queryKey of [SECTION_KEY, ['summary'], ['tank', tankId], ['owner']])
        void queryClient.invalidateQueries({ queryKey });
      if (type === 'tank.rapid_loss') setFound((before) => [tankId, ...before.filter((id) => id !== tankId)]);
      else if (!isOwner)
        void readTank(tankId).then((status) => status !== undefined && setLow((before) => withNewest(before, status)));
    },
    onCatchUp(isAfterOutage) {
      if (isAfterOutage) void queryClient.invalidateQueries();
      else for (const queryKey of [SECTION_KEY, ['summary']]) void queryClient.invalidateQueries({ queryKey });
    },
  });

  const rank = ({ tank }: TankStatus): number => (found.includes(tank.id) ? found.indexOf(tank.id) : found.length);
  const losing = (data?.data ?? []).toSorted((a, b) => rank(a) - rank(b) || seenAt(b).localeCompare(seenAt(a)));
  const isElsewhere = ({ tank }: TankStatus): boolean => path !== `/tanks/${tank.id}` && !(isOwner && path === '/');
  const newest = losing.find(isElsewhere);
  // The page Today shows a new low tank on top of its section.
  const newLow = path === '/' ? [] : low.filter((status) => isElsewhere(status) && !isLosing(status));
  return (
    <>
      <div role="alert">
        {newest !== undefined && data !== undefined && (
          <Loss status={newest} count={format.count(countOf(data))} isOwner={isOwner} hasOthers={losing.length > 1} />
        )}
      </div>
      <div role="status">{newLow[0] !== undefined && <LowNote tanks={newLow} onClose={() => setLow([])} />}</div>
    </>
  );
}

/** Puts the tank first and removes its earlier entry, because an event can arrive twice. */
const withNewest = (before: readonly TankStatus[], status: TankStatus): TankStatus[] => [
  status,
  ...before.filter(({ tank }) => tank.id !== status.tank.id),
];

const seenAt = ({ loss, losing_seen_at }: TankStatus): string => loss?.began_at ?? losing_seen_at ?? '';

const readTank = (id: string): Promise<TankStatus | undefined> => fleet.tank(id).catch(() => undefined);

interface LossProps {
  status: TankStatus;
  count: string;
  isOwner: boolean;
  hasOthers: boolean;
}

function Loss({ status, count, isOwner, hasOthers }: LossProps) {
  const { format } = usePreferences();
  const nowMs = useNow();
  const { leak } = useWordsOf(status);
  const { tank, owner, loss } = status;
  const level = levelOf(status);
  const leftMs = msUntil(loss?.empty_at, nowMs);
  const empty = leftMs === null ? '' : leftMs <= 0 ? leak.emptyNow : leak.emptyIn(format.longDuration(leftMs));
  // The owner is shown before the button to call, also on a phone, because several tanks have the same name.
  const where = leak.where(owner.name, tank.location.city ?? '', level === null ? '' : format.percent(level));
  return (
    <div className="alarm">
      <StatusMark status="losing" />
      <p>
        <strong>{leak.isLosing(nameOf(tank))}</strong>{' '}
        {!isOwner && <span>{empty === '' ? `${where}.` : `${where}, ${empty}.`} </span>}
        {isOwner && empty !== '' && <span>{sentence(empty)}. </span>}
        {hasOthers && <Link href={sectionHref('losing')}>{leak.all(count)}</Link>}
      </p>
      <span className="alarm-actions">
        {!isOwner && owner.phone !== null && (
          <a className="button" href={telOf(owner.phone)}>
            <Icon name="phone" />
            {owner.phone}
          </a>
        )}
        <Link className="button" href={isOwner ? '/' : `/tanks/${tank.id}`}>
          {isOwner ? leak.whatToDo : leak.open}
        </Link>
      </span>
    </div>
  );
}

function LowNote({ tanks, onClose }: { tanks: readonly TankStatus[]; onClose: () => void }) {
  const { words, format } = usePreferences();
  const [first, ...others] = tanks;
  if (first === undefined) return null;
  return (
    <div className="banner low-note">
      <StatusMark status="low" />
      <p>
        <Link href={`/tanks/${first.tank.id}`}>{words.leak.isLow(nameOf(first.tank))}</Link>{' '}
        {others.length > 0 && <Link href={sectionHref('low')}>{words.leak.moreLow(format.count(others.length))}</Link>}
      </p>
      <Button className="small" onClick={onClose}>
        {words.leak.close}
      </Button>
    </div>
  );
}
