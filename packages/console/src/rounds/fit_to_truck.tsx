import type { FleetStop, NewStop, RoundProposal, RoundRequest } from '@tankwatch/client';
import { useState } from 'react';
import { client } from '../api.ts';
import { ProblemNotice } from '../parts/problem.tsx';
import { usePreferences, useTexts } from '../preferences.tsx';
import { ROUND_TEXTS } from '../translations/rounds.ts';
import { inputOf } from './use_plan.ts';

interface FitToTruckProps {
  proposal: RoundProposal | undefined;
  stops: readonly FleetStop[];
  request: RoundRequest | undefined;
  isOver: boolean;
  onApply: (stops: readonly NewStop[]) => void;
}

/** Shows what fitting would change before it is applied. It never takes off a must, a closed stop or what a person added. */
export function FitToTruck({ proposal, stops, request, isOver, onApply }: FitToTruckProps) {
  const { format } = usePreferences();
  const words = useTexts(ROUND_TEXTS);
  const [isShown, setIsShown] = useState(false);
  const [problem, setProblem] = useState<Error | null>(null);
  const next = proposal === undefined ? [] : fitted(proposal, stops);
  const ids = new Set(next.map(({ tank_id }) => tank_id));
  const known = new Set(stops.flatMap(({ tank }) => tank?.id ?? []));
  const [adds, removes] = [[...ids].filter((id) => !known.has(id)), [...known].filter((id) => !ids.has(id))];
  const orderAgain = async (): Promise<void> => {
    if (request === undefined) return;
    const inputs = stops.flatMap(inputOf);
    try {
      // Only these tanks: the service orders them and proposes no others.
      const asked = await client.manage.rounds.propose({ ...request, cities: [], called_tank_ids: [...known] });
      const places = new Map(asked.stops.map(({ tank_id }, at) => [tank_id, at]));
      const placeOf = ({ tank_id }: NewStop): number => places.get(tank_id) ?? places.size;
      onApply(inputs.toSorted((a, b) => placeOf(a) - placeOf(b)));
      setProblem(null);
    } catch (error) {
      setProblem(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const changes = [
    adds.length > 0 ? words.fitAdds(format.count(adds.length)) : '',
    removes.length > 0 ? words.fitRemoves(format.count(removes.length)) : '',
  ].filter((part) => part !== '');
  const sum = next.reduce((total, { volume = 0 }) => total + volume, 0);
  return (
    <div className="actions">
      <button
        type="button"
        className={isOver ? 'button primary' : 'button'}
        disabled={proposal === undefined}
        aria-expanded={isShown}
        onClick={() => setIsShown(!isShown)}
      >
        {words.fit}
      </button>
      <button type="button" className="button" disabled={stops.length < 3} onClick={() => void orderAgain()}>
        {words.orderAgain}
      </button>
      {problem !== null && <ProblemNotice error={problem} onRetry={() => void orderAgain()} />}
      {isShown && proposal !== undefined && (
        <p className="fit-says" role="status">
          {changes.length === 0
            ? words.fitNothing
            : words.fitSays(changes.join(words.and), format.volume(sum, proposal.volume_unit))}{' '}
          {changes.length > 0 && (
            <button
              type="button"
              className="button primary small"
              onClick={() => {
                onApply(next);
                setIsShown(false);
              }}
            >
              {words.apply}
            </button>
          )}{' '}
          <button type="button" className="button small" onClick={() => setIsShown(false)}>
            {words.dismiss}
          </button>
        </p>
      )}
    </div>
  );
}

/** The proposal, and what must stay: musts, closed stops, and what a person added. */
function fitted(proposal: RoundProposal, stops: readonly FleetStop[]): NewStop[] {
  const proposed = new Map(proposal.stops.map((stop) => [stop.tank_id, stop]));
  const kept = stops
    .filter(({ kind, outcome, tank }) => kind !== 'could' || outcome !== 'open' || proposed.has(tank?.id ?? ''))
    .flatMap(inputOf);
  const keptIds = new Set(kept.map(({ tank_id }) => tank_id));
  const added = proposal.stops.filter(({ tank_id }) => !keptIds.has(tank_id));
  return [...kept, ...added.map(({ tank_id, kind, volume }) => ({ tank_id, kind, volume }))];
}
