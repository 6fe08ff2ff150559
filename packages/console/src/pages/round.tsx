import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { fleet } from '../api.ts';
import { useNow } from '../clock.ts';
import { download } from '../csv.ts';
import { useTitle } from '../frame/title.ts';
import { CopyButton } from '../parts/copy_button.tsx';
import { StatusMark } from '../parts/marks.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { clampFillTo, usePreferences } from '../preferences.tsx';
import { NumberField } from '../round/number_field.tsx';
import { isLosing } from '../status.ts';
import { useUrlState } from '../url_state.ts';
import { AlsoNear } from './also_near.tsx';
import { roundCsv, roundText } from './round_export.ts';
import { RoundTotals } from './round_totals.tsx';
import { StopTable } from './stop_table.tsx';
import { useTicks } from './ticks.ts';

const MOST_STOPS = 200;
/** What a common bobtail truck delivers. */
const TRUCK_VOLUMES = { liters: 9_000, gallons: 2_600 } as const;

/** A list of stops for one truck: what is due, what fits in, and what it adds up to. Nothing is stored. */
export function RoundPage() {
  const { words, format, fillTo: preferredFillTo } = usePreferences();
  const { given, change } = useUrlState();
  const nowMs = useNow();
  const texts = words.round;
  useTitle(texts.title);
  const within = clamp(Number(given.get('within') ?? 7), 0, 730);
  const place = given.get('place') ?? '';
  const fillTo = given.has('fill_to') ? clampFillTo(Number(given.get('fill_to'))) : preferredFillTo;
  const { isTicked, tick, tickAll, added, add } = useTicks();
  const table = useRef<HTMLDivElement>(null);

  const { data, error, refetch } = useQuery({
    queryKey: ['round', within, place],
    queryFn: async ({ signal }) =>
      fleet.tanks({ within_days: within, city: place === '' ? undefined : place, size: MOST_STOPS }, { signal }),
    placeholderData: keepPreviousData,
  });
  const more = useQuery({
    queryKey: ['round', 'added', added],
    queryFn: async ({ signal }) => fleet.tanks({ ids: added.join(','), size: 100 }, { signal }),
    enabled: added.length > 0,
    placeholderData: keepPreviousData,
  });
  // More days help only if there are tanks.
  const any = useQuery({
    queryKey: ['round', 'any'],
    queryFn: async ({ signal }) => fleet.tanks({ size: 1 }, { signal }),
    enabled: data?.total_items === 0,
  });
  const found = data?.data ?? [];
  const due = found.filter((status) => !isLosing(status));
  const losingCount = found.length - due.length;
  const dueIds = new Set(due.map(({ tank }) => tank.id));
  const extra = added.length === 0 ? [] : (more.data?.data ?? []);
  // In the order of urgency; what was added is not due yet.
  const rows = [...due, ...extra.filter(({ tank }) => !dueIds.has(tank.id))];
  const unit = rows[0]?.tank.capacity_unit ?? 'liters';
  const truck = clamp(Number(given.get('truck') ?? TRUCK_VOLUMES[unit]), 0, 1_000_000);
  const chosen = rows.filter(({ tank }) => isTicked(tank.id));
  const cities = [
    ...new Set([...rows.flatMap(({ tank }) => tank.location.city ?? []), ...(place === '' ? [] : [place])]),
  ];

  const texted = { words, format, fillTo, nowMs };
  return (
    <>
      <div className="page-head">
        <h1>{texts.title}</h1>
        <div className="actions">
          <button type="button" className="button" disabled={chosen.length === 0} onClick={() => window.print()}>
            {texts.print}
          </button>
          <button
            type="button"
            className="button"
            disabled={chosen.length === 0}
            onClick={() => download('round.csv', roundCsv(chosen, texted))}
          >
            {texts.csv}
          </button>
          <CopyButton
            text={roundText(chosen, texted)}
            shown={{ copy: texts.copy, copied: texts.copied }}
            isDisabled={chosen.length === 0}
            source={() => table.current}
          />
        </div>
      </div>
      <div className="filters">
        <NumberField
          label={texts.within}
          unit={texts.days}
          value={within}
          onChange={(value) => change({ within: value })}
        />
        <label>
          <span className="meta">{texts.place}</span>
          <select value={place} onChange={({ target }) => change({ place: target.value })}>
            <option value="">{texts.anyPlace}</option>
            {cities
              .toSorted((a, b) => a.localeCompare(b))
              .map((city) => (
                <option key={city}>{city}</option>
              ))}
          </select>
        </label>
        <NumberField label={texts.fillTo} unit="%" value={fillTo} onChange={(value) => change({ fill_to: value })} />
        <NumberField
          label={texts.truck}
          unit={unit === 'gallons' ? 'gal' : 'L'}
          value={truck}
          onChange={(value) => change({ truck: value })}
        />
      </div>
      {losingCount > 0 && (
        <p className="left-out">
          <StatusMark status="losing" /> {texts.leftOut(losingCount, format.count(losingCount))}
        </p>
      )}
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={8} />}
      {data !== undefined && rows.length === 0 && any.data !== undefined && (
        <p className="notice">{any.data.total_items === 0 ? words.fleet.empty : texts.none}</p>
      )}
      {rows.length > 0 && (
        <div ref={table}>
          <RoundTotals chosen={chosen} fillTo={fillTo} truck={truck} />
          <StopTable rows={rows} fillTo={fillTo} truck={truck} isTicked={isTicked} onTick={tick} onTickAll={tickAll} />
        </div>
      )}
      {data !== undefined && data.total_items > found.length && (
        <p className="meta">{texts.more(format.count(found.length), format.count(data.total_items))}</p>
      )}
      {chosen[0] !== undefined && (
        <AlsoNear first={chosen[0]} listed={new Set(rows.map(({ tank }) => tank.id))} fillTo={fillTo} onAdd={add} />
      )}
    </>
  );
}

const clamp = (value: number, lowest: number, highest: number): number =>
  Math.min(highest, Math.max(lowest, Math.floor(value) || 0));
