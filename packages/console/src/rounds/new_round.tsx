import type { NewRound, Truck } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { client } from '../api.ts';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useReadAgain } from '../change/read_again.ts';
import { useChange } from '../change/use_change.ts';
import { Button } from '../parts/button.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { ROUND_TEXTS } from '../translations/rounds.ts';
import { LoadBar } from './load_bar.tsx';
import { PlanLimits } from './plan_limits.tsx';
import { ProposedRow, ProposedTable } from './proposed_cells.tsx';
import { Why } from './stop_row.tsx';

interface NewRoundProps {
  title: string;
  date: string;
  truck: Truck;
  fillTo: number;
  limit: number;
  filters: ReactNode;
  tabs: ReactNode;
}

/** Shown if the truck has no round on this day: the proposed round, and a button that stores it. */
export function NewRoundPanel({ title, date, truck, fillTo, limit, filters, tabs }: NewRoundProps) {
  const { format } = usePreferences();
  const texts = useTexts(ROUND_TEXTS);
  const request = { date, truck_id: truck.id, fill_to_percentage: fillTo, chance_limit: limit };
  const { data, error, refetch } = useQuery({
    queryKey: ['proposal', request],
    queryFn: ({ signal }) => client.manage.rounds.propose(request, { signal }),
  });
  const creation = useChange(useReadAgain(['rounds']));
  const stops = data?.stops ?? [];
  const create = (): void => {
    const body: NewRound = {
      ...request,
      stops: stops.map(({ tank_id, kind, volume: amount }) => ({ tank_id, kind, volume: amount })),
    };
    creation.begin({ method: 'POST', path: '/rounds', body, label: `${title} · ${truck.name}` });
  };
  const volume = (value: number): string => format.volume(value, truck.capacity_unit);
  const counted = texts.stopsShort(stops.length, format.count(stops.length));
  return (
    <>
      <div className="page-head">
        <h1>{title}</h1>
        <span className="meta">{texts.noRound}</span>
      </div>
      <div className="filters">
        {filters}
        <PlanLimits fillTo={fillTo} limit={limit} />
      </div>
      {tabs}
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={8} />}
      {data !== undefined && (
        <section className={data.volume > truck.capacity ? 'plan-load over' : 'plan-load'}>
          <div>
            <b className="load-sum">
              {texts.proposal(counted, texts.loadOf(volume(data.volume), volume(truck.capacity)))}
            </b>
            <span className="meta block">{texts.proposalHelp}</span>
          </div>
          <LoadBar sum={data.volume} truck={truck.capacity} height={16} />
          <div className="actions">
            <Button className="primary" disabled={creation.isBusy || creation.state.kind === 'saved'} onClick={create}>
              {stops.length === 0 ? texts.createEmpty : texts.create(counted)}
            </Button>
          </div>
          <ChangeNotice change={creation} conflict={() => texts.conflicts.stops} />
          <p className="meta wide">{texts.straight(format.distance(data.straight_line_km, truck.capacity_unit))}</p>
        </section>
      )}
      {stops.length > 0 && (
        <ProposedTable first={texts.stops} why={texts.columns.why}>
          {stops.map((stop, index) => (
            <ProposedRow
              key={stop.tank_id}
              tank={stop}
              first={
                <span className={stop.kind === 'must' ? 'stop-no' : 'stop-no could'}>{format.count(index + 1)}</span>
              }
              name={stop.name}
              volume={volume(stop.volume)}
              why={<Why kind={stop.kind} chance={stop.chance} />}
            />
          ))}
        </ProposedTable>
      )}
    </>
  );
}
