import type { FleetRound, FleetStop, TankStatus } from '@tankwatch/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { fleet } from '../api.ts';
import { RoundProblem, roundCalls, type StopInput } from './calls.ts';

/** Drivers and gauges change a round that is under way. */
const READ_AGAIN_MS = 15_000;
/** The service takes at most this many ids in one request. */
const MAX_IDS = 100;

export interface UsedPlan {
  round: FleetRound | undefined;
  /** The stops as they are shown: with a change that is being saved. */
  stops: readonly FleetStop[];
  statuses: ReadonlyMap<string, TankStatus>;
  isSaving: boolean;
  /** Of the last change. */
  problem: Error | null;
  error: Error | null;
  /** Replaces the stops. Changes that come while one is saved are saved after it. */
  putStops: (stops: readonly StopInput[]) => void;
  /** Any other change of the round. It gets the etag of what is shown. */
  run: (change: (etag: string) => Promise<unknown>) => void;
  refetch: () => void;
}

export const inputOf = ({ tank, kind, volume }: FleetStop): StopInput[] =>
  tank === null ? [] : [{ tank_id: tank.id, kind, volume }];

/** A stored round, and how it is changed. What was not stored is not shown as stored: after an error the stored plan comes back. */
export function usePlan(id: string): UsedPlan {
  const cache = useQueryClient();
  const key = ['plan', id];
  const { data, error, refetch } = useQuery({
    queryKey: key,
    queryFn: async () => {
      const [round, { etag }] = await Promise.all([roundCalls.read(id), roundCalls.plan(id)]);
      return { round, etag };
    },
    refetchInterval: READ_AGAIN_MS,
  });
  const [order, setOrder] = useState<readonly StopInput[] | null>(null);
  const [isSaving, setIsSaving] = useState(false);
  const [problem, setProblem] = useState<Error | null>(null);
  const wanted = useRef<readonly StopInput[] | null>(null);
  const queue = useRef(Promise.resolve());

  const ids = data?.round.stops.flatMap(({ tank }) => tank?.id ?? []) ?? [];
  const tanks = useQuery({
    queryKey: ['plan', 'tanks', ids],
    queryFn: async ({ signal }) => {
      const parts = Array.from({ length: Math.ceil(ids.length / MAX_IDS) }, (_, at) =>
        fleet.tanks({ ids: ids.slice(at * MAX_IDS, (at + 1) * MAX_IDS).join(','), size: MAX_IDS }, { signal }),
      );
      return (await Promise.all(parts)).flatMap((page) => page.data);
    },
    enabled: ids.length > 0,
    placeholderData: (before) => before,
  });

  const save = async (change: (etag: string) => Promise<unknown>): Promise<void> => {
    setIsSaving(true);
    setProblem(null);
    try {
      await change(cache.getQueryData<{ etag: string }>(key)?.etag ?? '');
    } catch (failure) {
      wanted.current = null;
      setProblem(failure instanceof Error ? failure : new Error(String(failure)));
    }
    await Promise.all([cache.invalidateQueries({ queryKey: key }), cache.invalidateQueries({ queryKey: ['rounds'] })]);
    void cache.invalidateQueries({ queryKey: ['proposal'] });
    if (wanted.current !== null) return; // a newer order waits
    setOrder(null);
    setIsSaving(false);
  };
  /** One change after the other: each needs the etag that the one before it made. */
  const enqueue = (change: () => Promise<void>): void => {
    queue.current = queue.current.then(change);
  };

  const known = new Map(data?.round.stops.map((stop) => [stop.tank?.id, stop]));
  const stops = order === null ? (data?.round.stops ?? []) : order.flatMap(({ tank_id }) => known.get(tank_id) ?? []);
  return {
    round: data?.round,
    stops,
    statuses: new Map(tanks.data?.map((status) => [status.tank.id, status])),
    isSaving,
    problem,
    error,
    putStops(next) {
      setOrder(next);
      wanted.current = next;
      enqueue(async () => {
        const newest = wanted.current;
        wanted.current = null;
        if (newest !== null) await save((etag) => roundCalls.putStops(id, newest, etag)); // else a later one was saved
      });
    },
    run: (change) => enqueue(() => save(change)),
    refetch: () => void refetch(),
  };
}

export const isChangedElsewhere = (problem: Error): boolean =>
  problem instanceof RoundProblem && problem.status === 412;
