import type { FleetStop, NewStop, RoundProposal, RoundRequest } from '@tankwatch/client';
import { useState } from 'react';
import { client } from '../api.ts';
import { Button } from '../parts/button.tsx';
import { ProblemNotice } from '../parts/problem.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { ROUND_TEXTS } from '../translations/rounds.ts';
import { loadOfStops } from './stop_texts.ts';
import { inputOf } from './use_plan.ts';

interface RearrangeStopsProps {
  proposal: RoundProposal | undefined;
  stops: readonly FleetStop[];
  request: RoundRequest | undefined;
  /** The volume that the truck holds. */
  capacity: number;
  /** True if the stops do not fit on the truck. */
  isOver: boolean;
  onApply: (stops: readonly NewStop[]) => void;
}

/* * Fits the round to the truck, or orders the stops again. Fitting adds proposed stops and removes stops that do not fit
 * or are no longer proposed, and shows what would change before it is applied. A must, a closed stop and a stop that a person added
 * are never removed.
 */
export function RearrangeStops({ proposal, stops, request, capacity, isOver, onApply }: RearrangeStopsProps) {
  const { format } = usePreferences();
  const texts = useTexts(ROUND_TEXTS);
  const [isShown, setIsShown] = useState(false);
  const [problem, setProblem] = useState<Error | null>(null);
  const { next, sum } = proposal === undefined ? { next: [], sum: 0 } : fitted(proposal, stops, capacity);
  const ids = new Set(next.flatMap(({ tank_id: id }) => id ?? []));
  const known = new Set(stops.flatMap(({ tank }) => tank?.id ?? []));
  const [adds, removes] = [[...ids].filter((id) => !known.has(id)), [...known].filter((id) => !ids.has(id))];
  const orderAgain = async (): Promise<void> => {
    if (request === undefined) return;
    const isMoved = ({ outcome, block, tank }: FleetStop): boolean =>
      outcome === 'open' && block === null && tank !== null;
    try {
      // The request names only these tanks, so the service orders them and proposes no others.
      const ordering = await client.manage.rounds.propose({ ...request, cities: [], called_tank_ids: [...known] });
      const positions = new Map(ordering.stops.map(({ tank_id }, index) => [tank_id, index]));
      const positionOf = ({ tank }: FleetStop): number => positions.get(tank?.id ?? '') ?? positions.size;
      const ordered = stops.filter(isMoved).toSorted((a, b) => positionOf(a) - positionOf(b));
      // Closed and blocked stops keep their positions.
      onApply(stops.flatMap((stop) => inputOf(isMoved(stop) ? (ordered.shift() ?? stop) : stop)));
      setProblem(null);
    } catch (error) {
      setProblem(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const changes = [
    adds.length > 0 ? texts.fitAdds(format.count(adds.length)) : '',
    removes.length > 0 ? texts.fitRemoves(format.count(removes.length)) : '',
  ].filter((part) => part !== '');
  return (
    <div className="actions">
      <Button
        className={isOver ? 'primary' : ''}
        disabled={proposal === undefined}
        aria-expanded={isShown}
        onClick={() => setIsShown(!isShown)}
      >
        {texts.fit}
      </Button>
      <Button disabled={stops.length < 3} onClick={() => void orderAgain()}>
        {texts.orderAgain}
      </Button>
      {problem !== null && <ProblemNotice error={problem} onRetry={() => void orderAgain()} />}
      {isShown && proposal !== undefined && (
        <p className="fit-says" role="status">
          {changes.length === 0
            ? texts.fitNothing
            : texts.fitSays(changes.join(texts.and), format.volume(sum, proposal.volume_unit))}{' '}
          {changes.length > 0 && (
            <Button
              className="primary small"
              onClick={() => {
                onApply(next);
                setIsShown(false);
              }}
            >
              {texts.apply}
            </Button>
          )}{' '}
          <Button className="small" onClick={() => setIsShown(false)}>
            {texts.dismiss}
          </Button>
        </p>
      )}
    </div>
  );
}

/**
 * The stops that fit on the truck: musts, closed and blocked stops, and stops that a person added; then tanks that
 * could be filled, as long as their volume fits beside the delivered volume and the volume of the other open stops.
 */
export function fitted(
  proposal: Pick<RoundProposal, 'stops'>,
  stops: readonly FleetStop[],
  capacity: number,
): { next: NewStop[]; sum: number } {
  const proposed = new Set(proposal.stops.map(({ tank_id }) => tank_id));
  const isFree = ({ kind, outcome, block }: FleetStop): boolean =>
    kind === 'could' && outcome === 'open' && block === null;
  let sum = loadOfStops(stops.filter((stop) => !isFree(stop)));
  const fits = (volume: number): boolean => {
    if (sum + volume > capacity) return false;
    sum += volume;
    return true;
  };
  const known = new Set(stops.flatMap(({ tank }) => tank?.id ?? []));
  const musts = proposal.stops.filter(({ kind, tank_id }) => kind === 'must' && !known.has(tank_id));
  for (const { volume } of musts) sum += volume;
  const kept = stops.filter((stop) => !isFree(stop) || (proposed.has(stop.tank?.id ?? '') && fits(stop.volume)));
  const added = proposal.stops.filter(
    ({ kind, tank_id, volume }) => kind === 'could' && !known.has(tank_id) && fits(volume),
  );
  const next = [...kept.flatMap(inputOf), ...[...musts, ...added].map(({ tank_id, kind }) => ({ tank_id, kind }))];
  return { next, sum };
}
