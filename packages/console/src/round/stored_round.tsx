import type { Driver, FleetStop, RoundSummary, Truck } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Icon } from '../parts/marks.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { usePreferences } from '../preferences.tsx';
import { useRoundWords } from '../words/round_words.ts';
import { roundCalls, type StopInput } from './calls.ts';
import { DriverLinkPanel } from './driver_link.tsx';
import { FitToTruck } from './fit_to_truck.tsx';
import { LoadBar } from './load_bar.tsx';
import { NumberField } from './number_field.tsx';
import { mustsLeft, Offered } from './offered.tsx';
import { useProblemText } from './problem_text.ts';
import { RoundActions } from './round_actions.tsx';
import { StopRows } from './stop_rows.tsx';
import { loadOfStops } from './stop_texts.ts';
import { inputOf, isChangedElsewhere, usePlan } from './use_plan.ts';

interface StoredRoundProps {
  id: string;
  title: string;
  truck: Truck;
  trucks: readonly Truck[];
  rounds: readonly RoundSummary[];
  drivers: readonly Driver[];
  filters: ReactNode;
  tabs: ReactNode;
}

/** A stored round: its plan, what is not on it, and what has happened. */
export function StoredRound({ id, title, truck, trucks, rounds, drivers, filters, tabs }: StoredRoundProps) {
  const { format } = usePreferences();
  const words = useRoundWords();
  const problemText = useProblemText();
  const plan = usePlan(id);
  const [hasLink, setHasLink] = useState(false);
  const { round, stops } = plan;
  const isOpen = round !== undefined && (round.state === 'planned' || round.state === 'under_way');
  const request = round && {
    date: round.date,
    truck_id: truck.id,
    round_id: id,
    fill_to_percentage: round.fill_to_percentage,
    chance_limit: round.chance_limit,
  };
  const proposal = useQuery({
    queryKey: ['proposal', request],
    queryFn: () => roundCalls.propose(request ?? { date: '', truck_id: '' }),
    enabled: isOpen,
  });
  if (round === undefined)
    return plan.error === null ? <Skeleton rows={10} /> : <ProblemNotice error={plan.error} onRetry={plan.refetch} />;

  const volume = (value: number): string => format.volume(value, truck.capacity_unit);
  const sum = loadOfStops(stops);
  const overBy = sum - truck.capacity;
  const inputs = stops.flatMap(inputOf);
  const taken = new Set(stops.flatMap(({ tank }) => tank?.id ?? []));
  const left = proposal.data === undefined ? [] : mustsLeft(proposal.data, taken);
  const add = (stop: StopInput): void => plan.putStops([...inputs, stop]);
  const moveToTruck = (stop: FleetStop, truckId: string): void => {
    const [input] = inputOf(stop);
    if (input === undefined || truckId === '') return;
    const target = rounds.find((one) => one.truck.id === truckId && one.state !== 'cancelled');
    plan.run(async (etag) => {
      // A tank is on one round of a day: first off this one.
      await roundCalls.putStops(
        id,
        inputs.filter(({ tank_id }) => tank_id !== input.tank_id),
        etag,
      );
      const moved = [{ tank_id: input.tank_id, ...(input.kind === undefined ? {} : { kind: input.kind }) }];
      if (target === undefined)
        return roundCalls.create({
          date: round.date,
          truck_id: truckId,
          fill_to_percentage: round.fill_to_percentage,
          chance_limit: round.chance_limit,
          stops: moved,
        });
      const other = await roundCalls.plan(target.id);
      const others = other.stops.flatMap(({ tank_id, kind, volume: amount }) =>
        tank_id === null ? [] : [{ tank_id, kind, volume: amount }],
      );
      return roundCalls.putStops(target.id, [...others, ...moved], other.etag);
    });
  };
  const must = stops.filter(({ kind }) => kind === 'must').length;
  const hasBegun = round.state !== 'planned' || stops.some(({ outcome }) => outcome !== 'open');
  const changed = (patch: Parameters<typeof roundCalls.update>[1]) => () =>
    plan.run((etag) => roundCalls.update(id, patch, etag));
  return (
    <>
      <div className="page-head">
        <h1>{title}</h1>
        <span className="meta" role="status">
          {truck.name} · {words.states[round.state]} · {plan.isSaving ? words.saving : words.saved}
        </span>
        <span className="print-only meta">{round.driver?.name}</span>
        <RoundActions
          round={round}
          stops={stops}
          isOpen={isOpen}
          onLink={() => setHasLink(true)}
          onState={(state) => changed({ state })()}
          onVroom={(solution) => plan.run((etag) => roundCalls.putVroomOrder(id, solution, etag))}
        />
      </div>
      <div className="filters">
        {filters}
        <label>
          <span className="meta">{words.driver}</span>
          <select
            value={round.driver?.id ?? ''}
            disabled={!isOpen || plan.isSaving}
            onChange={({ target }) => changed({ driver_id: target.value === '' ? null : target.value })()}
          >
            <option value="">{words.noDriver}</option>
            {drivers.map((driver) => (
              <option key={driver.id} value={driver.id}>
                {driver.name}
              </option>
            ))}
          </select>
        </label>
        <NumberField
          label={words.fillTo}
          unit="%"
          value={round.fill_to_percentage}
          onChange={(value) => changed({ fill_to_percentage: Number(value) })()}
        />
        <NumberField
          label={words.mustAbove}
          unit="%"
          value={Math.round(round.chance_limit * 1_000) / 10}
          onChange={(value) => changed({ chance_limit: Number(value) / 100 })()}
        />
      </div>
      {tabs}
      {plan.problem !== null && (
        <p className="notice failed" role="alert">
          {isChangedElsewhere(plan.problem) ? words.changedElsewhere : problemText(plan.problem, words.conflicts.stops)}
        </p>
      )}
      {hasLink && <DriverLinkPanel roundId={id} onClose={() => setHasLink(false)} />}
      <section className={overBy > 0 ? 'plan-load over' : 'plan-load'}>
        <div>
          <b className="load-sum">{words.loadOf(volume(sum), volume(truck.capacity))}</b>
          {overBy > 0 ? (
            <strong className="over-text">
              <Icon name="warning" /> {words.tooMuch(volume(overBy))}
            </strong>
          ) : (
            <span className="block">{words.free(volume(-overBy))}</span>
          )}
        </div>
        <LoadBar sum={sum} truck={truck.capacity} height={16} />
        {isOpen && (
          <FitToTruck
            proposal={proposal.data}
            stops={stops}
            request={request}
            isOver={overBy > 0}
            onApply={(next) => plan.putStops(next)}
          />
        )}
        <p className="meta wide">{words.straight(format.distance(round.straight_line_km, truck.capacity_unit))}</p>
      </section>
      {isOpen && left.length > 0 && (
        <p className="must-warning no-print" role="status">
          <Icon name="warning" /> <strong>{words.mustWarning(left.length, format.count(left.length))}</strong>
        </p>
      )}
      <h2>
        {words.stops} <span className="count">{format.count(stops.length)}</span>{' '}
        <span className="meta">{words.ofStops(must, stops.length - must)}</span>
      </h2>
      <StopRows
        stops={stops}
        statuses={plan.statuses}
        unit={truck.capacity_unit}
        capacity={truck.capacity}
        isOpen={isOpen}
        hasBegun={hasBegun}
        otherTrucks={trucks.filter((one) => one.id !== truck.id)}
        onOrder={(next) => plan.putStops(next.flatMap(inputOf))}
        onMoveToTruck={moveToTruck}
        onOutcome={(stop, outcome) => plan.run(() => roundCalls.putOutcome(id, stop.number, outcome))}
      />
      {isOpen && proposal.error !== null && (
        <ProblemNotice error={proposal.error} onRetry={() => void proposal.refetch()} />
      )}
      {isOpen && proposal.data !== undefined && (
        <Offered proposal={proposal.data} taken={taken} limit={round.chance_limit} onAdd={add} />
      )}
    </>
  );
}
