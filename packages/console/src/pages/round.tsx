import type { TankStatus } from '@tankwatch/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { fleet } from '../api.ts';
import { useNow } from '../clock.ts';
import { csvOf, download } from '../csv.ts';
import { useTitle } from '../frame/title.ts';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { clampFillTo, usePreferences } from '../preferences.tsx';
import { addressOf, dueTexts, levelOf, roomOf, sortedByDue } from '../status.ts';
import { useUrlState } from '../url_state.ts';
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
  const { isTicked, tick, tickAll } = useTicks();

  const { data, error, refetch } = useQuery({
    queryKey: ['round', within, place],
    queryFn: async ({ signal }) =>
      fleet.tanks({ within_days: within, city: place === '' ? undefined : place, size: MOST_STOPS }, { signal }),
    placeholderData: keepPreviousData,
  });
  const rows = sortedByDue(data?.data ?? []);
  const unit = rows[0]?.tank.capacity_unit ?? 'liters';
  const truck = clamp(Number(given.get('truck') ?? TRUCK_VOLUMES[unit]), 0, 1_000_000);
  const chosen = rows.filter(({ tank }) => isTicked(tank.id));
  const cities = [
    ...new Set([...rows.flatMap(({ tank }) => tank.location.city ?? []), ...(place === '' ? [] : [place])]),
  ];

  const saveCsv = (): void => {
    const header = [
      words.fleet.columns.tank,
      words.tank.customer,
      words.customers.phone,
      texts.address,
      words.fleet.columns.level,
      words.fleet.columns.room(format.percent(fillTo)),
      texts.due,
    ];
    download('round.csv', csvOf([header, ...chosen.map(csvRow)]));
  };
  const csvRow = (status: TankStatus): (string | number)[] => {
    const room = roomOf(status, fillTo);
    return [
      status.tank.name,
      status.owner.name,
      status.owner.phone ?? '',
      addressOf(status),
      levelOf(status) ?? '',
      room === null ? '' : Math.round(room),
      dueTexts(status, nowMs, words, format).main,
    ];
  };

  return (
    <>
      <div className="page-head">
        <h1>{texts.title}</h1>
        <span className="print-only meta">{texts.printedAt(format.fullTime(nowMs))}</span>
        <div className="actions">
          <button type="button" className="button" disabled={chosen.length === 0} onClick={() => window.print()}>
            {texts.print}
          </button>
          <button type="button" className="button" disabled={chosen.length === 0} onClick={saveCsv}>
            {texts.csv}
          </button>
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
          unit={unit === 'gallons' ? 'gal' : 'l'}
          value={truck}
          onChange={(value) => change({ truck: value })}
        />
      </div>
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={8} />}
      {data !== undefined && rows.length === 0 && <p className="notice">{texts.none}</p>}
      {rows.length > 0 && (
        <>
          <RoundTotals chosen={chosen} fillTo={fillTo} truck={truck} />
          <StopTable rows={rows} fillTo={fillTo} isTicked={isTicked} onTick={tick} onTickAll={tickAll} />
        </>
      )}
      {data !== undefined && data.total_items > rows.length && (
        <p className="meta">{texts.more(format.count(rows.length), format.count(data.total_items))}</p>
      )}
      {chosen[0] !== undefined && (
        <AlsoNear first={chosen[0]} listed={new Set(rows.map(({ tank }) => tank.id))} fillTo={fillTo} />
      )}
    </>
  );
}

const NEAR_KM = 15;
const MIN_ROOM_PERCENT = 40;

/** Tanks near the first stop that are not due yet, but have room: they can make the truck full. */
function AlsoNear({ first, listed, fillTo }: { first: TankStatus; listed: ReadonlySet<string>; fillTo: number }) {
  const { words, format } = usePreferences();
  const { latitude, longitude } = first.tank.location;
  const near = latitude === null || longitude === null ? undefined : `${latitude.toFixed(5)},${longitude.toFixed(5)}`;
  const { data } = useQuery({
    queryKey: ['near', near],
    queryFn: async ({ signal }) => fleet.tanks({ near, km: NEAR_KM, size: 100 }, { signal }),
    enabled: near !== undefined,
  });
  const rows = (data?.data ?? []).filter((status) => {
    const level = levelOf(status);
    const hasRoom = roomOf(status, fillTo) !== null && level !== null && fillTo - level >= MIN_ROOM_PERCENT;
    return !listed.has(status.tank.id) && hasRoom;
  });
  if (data === undefined) return null;
  return (
    <section className="no-print">
      <h2>{words.round.near(format.kilometers(NEAR_KM))}</h2>
      {rows.length === 0 && <p className="meta">{words.round.nearNone}</p>}
      <ul className="near">
        {rows.slice(0, 8).map((status) => (
          <li key={status.tank.id}>
            <Link href={`/tanks/${status.tank.id}`}>{status.tank.name}</Link>{' '}
            <span className="meta">
              {status.owner.name} · {format.percent(levelOf(status) ?? 0)} ·{' '}
              {words.fleet.columns.room(format.percent(fillTo))}{' '}
              {format.volume(roomOf(status, fillTo) ?? 0, status.tank.capacity_unit)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface NumberFieldProps {
  label: string;
  unit: string;
  value: number;
  onChange: (value: string) => void;
}

function NumberField({ label, unit, value, onChange }: NumberFieldProps) {
  return (
    <label>
      <span className="meta">{label}</span>
      <span className="with-unit">
        <input
          type="number"
          min="0"
          key={value}
          defaultValue={value}
          onBlur={({ target }) => target.valueAsNumber !== value && onChange(target.value)}
          onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
        />
        {unit}
      </span>
    </label>
  );
}

const clamp = (value: number, lowest: number, highest: number): number =>
  Math.min(highest, Math.max(lowest, Math.floor(value) || 0));
