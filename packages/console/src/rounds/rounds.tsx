import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { client, fleet } from '../api.ts';
import { sentence } from '../format.ts';
import { useTitle } from '../frame/title.ts';
import { useOrganizationDay } from '../organization.ts';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { useCan } from '../session.ts';
import { useUrlState } from '../url_state.ts';
import { NewRoundPanel } from './new_round.tsx';
import { StoredRound } from './stored_round.tsx';
import { TruckTabs } from './truck_tabs.tsx';
import { UndoRounds } from './undo_round.tsx';
import '../styles/rounds.css';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { ROUND_TEXTS } from '../translations/rounds.ts';

/** The rounds of a day. A viewer without the right `deliveries` has no link to this page. */
export function RoundsPage() {
  const texts = useTexts(CHANGE_TEXTS);
  return useCan('deliveries') ? <PlanningPage /> : <p className="notice">{texts.askAdministrator}</p>;
}

const READ_AGAIN_MS = 30_000;

function PlanningPage() {
  const { words, format, fillTo, mustAbove } = usePreferences();
  const roundTexts = useTexts(ROUND_TEXTS);
  const { given, change } = useUrlState();
  // The page keeps its date after midnight.
  const [today] = useState(useOrganizationDay());
  const date = /^\d{4}-\d\d-\d\d$/.test(given.get('date') ?? '') ? (given.get('date') ?? today) : today;
  const day = format.longDay(date);
  useTitle(roundTexts.title(day));
  const transport = useQuery({
    queryKey: ['transport'],
    queryFn: async ({ signal }) => {
      const { manage } = client;
      const [trucks, drivers] = await Promise.all([manage.trucks.list({ signal }), manage.drivers.list({ signal })]);
      return {
        trucks: trucks.data.filter((one) => !one.is_archived),
        drivers: drivers.data.filter((one) => !one.is_archived),
      };
    },
  });
  const rounds = useQuery({
    queryKey: ['rounds', date],
    queryFn: ({ signal }) => fleet.rounds({ from: date, to: date }, { signal }),
    refetchInterval: READ_AGAIN_MS,
  });
  const { trucks = [], drivers = [] } = transport.data ?? {};
  const truck = trucks.find(({ id }) => id === given.get('truck')) ?? trucks[0];
  const roundsOfDay = rounds.data?.data ?? [];
  const round = roundsOfDay.find((one) => one.truck.id === truck?.id && one.state !== 'cancelled');
  const error = transport.error ?? rounds.error;
  const filters = (
    <label>
      <span className="meta">{roundTexts.date}</span>
      <input type="date" value={date} onChange={({ target }) => change({ date: target.value })} />
    </label>
  );
  if (error !== null && truck === undefined)
    return <ProblemNotice error={error} onRetry={() => void Promise.all([transport.refetch(), rounds.refetch()])} />;
  if (transport.data === undefined || rounds.data === undefined) return <Skeleton rows={10} />;
  if (truck === undefined)
    return (
      <>
        <div className="page-head">
          <h1>{words.pages.round}</h1>
        </div>
        <p className="notice">
          {roundTexts.noTrucks} <Link href="/trucks">{roundTexts.addFirstTruck}</Link>
        </p>
      </>
    );
  const tabs = (
    <TruckTabs trucks={trucks} rounds={roundsOfDay} chosenId={truck.id} onChoose={(id) => change({ truck: id })} />
  );
  const title = sentence(roundTexts.title(day));
  return (
    <>
      <UndoRounds rounds={roundsOfDay} />
      {round === undefined ? (
        <NewRoundPanel
          key={`${truck.id} ${date}`}
          title={title}
          date={date}
          truck={truck}
          fillTo={fillTo}
          limit={mustAbove / 100}
          filters={filters}
          tabs={tabs}
        />
      ) : (
        <StoredRound
          key={round.id}
          id={round.id}
          title={title}
          truck={truck}
          trucks={trucks}
          drivers={drivers}
          filters={filters}
          tabs={tabs}
        />
      )}
    </>
  );
}
