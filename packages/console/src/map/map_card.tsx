import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { useNow } from '../clock.ts';
import { StatusBadge } from '../parts/badge.tsx';
import { telOf } from '../parts/phone.tsx';
import { ProblemNotice } from '../parts/problem.tsx';
import { Left, Level, ReadingAge } from '../parts/tank_cells.tsx';
import { usePreferences } from '../preferences_and_words.tsx';
import { addressOf, isLosing } from '../status.ts';
import { tankQuery } from '../tank_query.ts';
import { translationOf } from '../translations/translation.ts';
import { timeLeft } from './time_left.ts';

interface MapCardProps {
  id: string;
  onClose: () => void;
}

/** The tank that was pressed on the map: its level, how long it lasts, and whom to call. The card covers no mark. */
export function MapCard({ id, onClose }: MapCardProps) {
  const { words, format, language } = usePreferences();
  const nowMs = useNow();
  const card = useRef<HTMLDivElement>(null);
  const { data: status, error, refetch } = useQuery(tankQuery(id));
  useEffect(() => card.current?.focus(), [id]);
  const left =
    status === undefined ? undefined : timeLeft(status, nowMs, translationOf(language, status.product), format);
  const phone = status?.owner.phone ?? null;
  return (
    <div
      ref={card}
      className="map-card"
      role="dialog"
      tabIndex={-1}
      aria-label={status?.tank.name ?? words.problem.loading}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <button type="button" className="card-close" aria-label={words.map.close} onClick={onClose}>
        <span aria-hidden="true">×</span>
      </button>
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {status !== undefined && left !== undefined && (
        <>
          <p>
            <b>{status.tank.name}</b> <span className="meta">{status.tank.custom_id}</span>
          </p>
          <p className="meta">{[status.owner.name, addressOf(status)].filter((text) => text !== '').join(' · ')}</p>
          <p>
            <StatusBadge status={status} nowMs={nowMs} />
          </p>
          <div className="card-level">
            <Level status={status} /> <Left status={status} />
          </div>
          <p>
            {left.label !== '' && `${left.label}: `}
            <b>{left.main}</b> {left.detail}
          </p>
          <p className="meta">
            {words.fleet.columns.read}: <ReadingAge status={status} nowMs={nowMs} />
          </p>
          <div className="card-actions">
            {phone !== null && (
              <a className={`button ${isLosing(status) ? 'danger' : 'primary'}`} href={telOf(phone)}>
                {words.map.call(phone)}
              </a>
            )}
            <Link className="button" href={`/tanks/${id}`}>
              {words.map.open}
            </Link>
          </div>
        </>
      )}
    </div>
  );
}
