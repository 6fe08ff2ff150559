import type { Driver, FleetStop, NewStop, Truck } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { client } from '../api.ts';
import { ChangeNotice } from '../change/change_notice.tsx';
import { Select } from '../forms/select.tsx';
import { useOrganization, useOrganizationDay } from '../organization.ts';
import { Icon } from '../parts/marks.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { ROUND_TEXTS } from '../translations/rounds.ts';
import { DriverLinkPanel } from './driver_link.tsx';
import { LoadBar } from './load_bar.tsx';
import { OtherCandidates, unplannedMusts } from './other_candidates.tsx';
import { PlanLimits } from './plan_limits.tsx';
import { OldSheet, SheetFoot, SheetHead, useRecordedPrint } from './printed_sheet.tsx';
import { RearrangeStops } from './rearrange_stops.tsx';
import { RoundActions } from './round_actions.tsx';
import { RoundMap } from './round_map.tsx';
import { StopRows } from './stop_rows.tsx';
import { loadDifferences, loadOfStops, progressText } from './stop_texts.ts';
import { inputOf, usePlan } from './use_plan.ts';

interface StoredRoundProps {
  id: string;
  title: string;
  truck: Truck;
  trucks: readonly Truck[];
  drivers: readonly Driver[];
  filters: ReactNode;
  tabs: ReactNode;
}

/** A stored round: its stops, their outcomes, and tanks that are not on the round. */
export function StoredRound({ id, title, truck, trucks, drivers, filters, tabs }: StoredRoundProps) {
  const { format } = usePreferences();
  const texts = useTexts(ROUND_TEXTS);
  const plan = usePlan(id, `${title} · ${truck.name}`);
  const [hasLink, setHasLink] = useState(false);
  const today = useOrganizationDay();
  const { readAgain } = plan;
  const officePhone = useOrganization()?.phone ?? null;
  const { round, stops } = plan;
  const isOpen = round !== undefined && (round.state === 'planned' || round.state === 'under_way');
  const request = round && {
    date: round.date,
    truck_id: truck.id,
    round_id: id,
    fill_to_percentage: round.fill_to_percentage,
    chance_limit: round.chance_limit,
  };
  useRecordedPrint(id, { isEnabled: isOpen }, readAgain);
  const proposal = useQuery({
    queryKey: ['proposal', request],
    queryFn: ({ signal }) => client.manage.rounds.propose(request ?? { date: '', truck_id: '' }, { signal }),
    enabled: isOpen,
  });
  if (round === undefined)
    return plan.error === null ? <Skeleton rows={10} /> : <ProblemNotice error={plan.error} onRetry={plan.refetch} />;

  const volume = (value: number): string => format.volume(value, truck.capacity_unit);
  const sum = loadOfStops(stops);
  const overBy = sum - truck.capacity;
  const inputs = stops.flatMap(inputOf);
  const taken = new Set(stops.flatMap(({ tank }) => tank?.id ?? []));
  const mustsLeft = proposal.data === undefined ? [] : unplannedMusts(proposal.data, taken);
  const add = (stop: NewStop): void => plan.putStops([...inputs, stop]);
  const moveToTruck = ({ number }: FleetStop, truckId: string): void =>
    plan.run((ifMatch) => ({
      method: 'POST',
      path: `/rounds/${id}/stops/${number}/move`,
      body: { truck_id: truckId },
      ifMatch,
    }));
  const changeStop = (stop: FleetStop, fields: Partial<NewStop>): void =>
    plan.putStops(inputs.map((input) => (input.tank_id === stop.tank?.id ? { ...input, ...fields } : input)));
  const { planned, differences } = loadDifferences(stops);
  const must = stops.filter(({ kind }) => kind === 'must').length;
  const hasBegun = round.state !== 'planned' || stops.some(({ outcome }) => outcome !== 'open');
  // Entries can be recorded after the end of the round, because drivers bring their paper in the evening.
  const canRecord = round.state !== 'cancelled' && (hasBegun || round.date <= today);
  return (
    <>
      <div className="page-head">
        <h1>{title}</h1>
        <span className="meta" role="status">
          {truck.name} · {texts.states[round.state]} · {plan.isSaving ? texts.saving : texts.saved}
        </span>
        <SheetHead round={round} />
        <RoundActions
          round={round}
          stops={stops}
          isOpen={isOpen}
          onLink={() => setHasLink(true)}
          onState={(state) => plan.patch({ state })}
          onVroom={(solution) =>
            plan.run((ifMatch) => ({ method: 'PUT', path: `/rounds/${id}/vroom-order`, body: { solution }, ifMatch }))
          }
        />
      </div>
      <div className="filters">
        {filters}
        <label>
          <span className="meta">{texts.driver}</span>
          <Select
            value={round.driver?.id ?? ''}
            disabled={!isOpen || plan.isSaving}
            options={[
              ['', texts.noDriver],
              ...drivers.map(({ id: driverId, name }) => [driverId, name ?? ''] as const),
            ]}
            onChange={(driverId) => plan.patch({ driver_id: driverId === '' ? null : driverId })}
          />
        </label>
        <PlanLimits
          fillTo={round.fill_to_percentage}
          limit={round.chance_limit}
          {...(isOpen ? { onUse: (limits) => plan.patch(limits) } : {})}
        />
      </div>
      {tabs}
      <ChangeNotice change={plan.change} conflict={() => texts.conflicts.stops} changed={texts.changedElsewhere} />
      {isOpen && <OldSheet round={round} />}
      {hasLink && <DriverLinkPanel round={round} onClose={() => setHasLink(false)} />}
      <RoundMap stops={stops} truck={truck} />
      <section className={overBy > 0 ? 'plan-load over' : 'plan-load'}>
        <div>
          <b className="load-sum">{texts.loadOf(volume(sum), volume(truck.capacity))}</b>
          {overBy > 0 ? (
            <strong className="over-text">
              <Icon name="warning" /> {texts.tooMuch(volume(overBy))}
            </strong>
          ) : (
            <span className="block">{texts.free(volume(-overBy))}</span>
          )}
        </div>
        <LoadBar sum={sum} truck={truck.capacity} height={16} />
        {isOpen && (
          <RearrangeStops
            proposal={proposal.data}
            stops={stops}
            request={request}
            capacity={truck.capacity}
            isOver={overBy > 0}
            onApply={(next) => plan.putStops(next)}
          />
        )}
        {differences.length > 0 && (
          <p className="meta wide load-differences">
            {texts.plannedLoad(volume(planned))}{' '}
            {differences
              .map(([reason, by]) => texts.differences[reason](`${by < 0 ? '−' : '+'}${volume(Math.abs(by))}`))
              .join(', ')}
          </p>
        )}
        <p className="meta wide">{texts.straight(format.distance(round.straight_line_km, truck.capacity_unit))}</p>
      </section>
      {isOpen && mustsLeft.length > 0 && (
        <p className="must-warning no-print" role="status">
          <Icon name="warning" /> <strong>{texts.mustWarning(mustsLeft.length, format.count(mustsLeft.length))}</strong>
        </p>
      )}
      <h2>
        {texts.stops} <span className="count">{format.count(stops.length)}</span>{' '}
        <span className="meta">
          {hasBegun ? progressText(stops, texts.progress) : texts.ofStops(must, stops.length - must)}
        </span>
      </h2>
      <StopRows
        stops={stops}
        statuses={plan.statuses}
        unit={truck.capacity_unit}
        capacity={truck.capacity}
        isOpen={isOpen}
        hasBegun={hasBegun}
        round={round}
        canRecord={canRecord}
        officePhone={officePhone}
        otherTrucks={trucks.filter((one) => one.id !== truck.id)}
        onOrder={(next) => plan.putStops(next.flatMap(inputOf))}
        onMoveToTruck={moveToTruck}
        onStop={changeStop}
        onRecorded={readAgain}
      />
      <SheetFoot />
      {isOpen && proposal.error !== null && (
        <ProblemNotice error={proposal.error} onRetry={() => void proposal.refetch()} />
      )}
      {isOpen && proposal.data !== undefined && (
        <OtherCandidates proposal={proposal.data} taken={taken} limit={round.chance_limit} onAdd={add} />
      )}
    </>
  );
}
