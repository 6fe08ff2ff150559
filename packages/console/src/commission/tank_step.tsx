import type { TankStatus } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { Link, useSearch } from 'wouter';
import { fleet } from '../api.ts';
import { useNow } from '../clock.ts';
import { TextField } from '../forms/field.tsx';
import { StatusBadge } from '../parts/badge.tsx';
import { ProblemNotice } from '../parts/problem.tsx';
import { useTexts, useTranslation } from '../preferences_and_words.tsx';
import { isSearchable } from '../search_words.ts';
import { addressOf, nameOf } from '../status.ts';
import { COMMISSION_TEXTS } from '../translations/commission.ts';

/** Asks which tank gets the device: lists tanks without a reading, and searches for others. */
export function TankStep() {
  const words = useTranslation();
  const texts = useTexts(COMMISSION_TEXTS);
  const [text, setText] = useState('');
  const q = useDeferredValue(text.trim());
  const isLongEnough = isSearchable(q);
  const found = useQuery({
    queryKey: ['search', q],
    queryFn: ({ signal }) => fleet.search(q, { signal }),
    enabled: isLongEnough,
  });
  const waiting = useQuery({
    queryKey: ['never-reported'],
    queryFn: async ({ signal }) => fleet.tanks({ reporting: 'never', size: 20 }, { signal }),
  });
  const similar = found.data?.similar ?? null;
  const rows = isLongEnough ? (found.data?.tanks ?? []) : (waiting.data?.data ?? []);
  const error = isLongEnough ? found.error : waiting.error;
  return (
    <section className="step" aria-labelledby="step">
      <h2 id="step">{texts.whichTank}</h2>
      <TextField
        label={texts.search}
        help={isLongEnough ? '' : texts.searchHelp}
        type="search"
        value={text}
        onChange={setText}
      />
      {error !== null && (
        <ProblemNotice error={error} onRetry={() => void (isLongEnough ? found : waiting).refetch()} />
      )}
      {isLongEnough && found.data?.tanks.length === 0 && <p className="notice">{texts.nothing}</p>}
      {!isLongEnough && rows.length > 0 && <h3>{texts.withoutReading}</h3>}
      <ul className="pick-list">
        {rows.map((status) => (
          <Pick key={status.tank.id} status={status} />
        ))}
      </ul>
      {isLongEnough && similar !== null && similar.tanks.length > 0 && (
        <>
          <h3>{words.search.didYouMean(similar.q)}</h3>
          <ul className="pick-list">
            {similar.tanks.map((status) => (
              <Pick key={status.tank.id} status={status} />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Pick({ status }: { status: TankStatus }) {
  const nowMs = useNow();
  // The parameters have the device if it was chosen before the tank.
  const search = useSearch();
  return (
    <li>
      <Link href={`/commission/${status.tank.id}${search && `?${search}`}`}>
        <b>{nameOf(status.tank)}</b> <StatusBadge status={status} nowMs={nowMs} />
        <br />
        <span className="meta">{[status.owner.name, addressOf(status)].filter(Boolean).join(' · ')}</span>
      </Link>
    </li>
  );
}
