import type { FleetRound, FleetStop, NewStop, Round, RoundPatch, TankStatus } from '@tankwatch/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { client, fleet } from '../api.ts';
import { useReadAgain } from '../change/read_again.ts';
import { type Request, type UsedChange, useChange } from '../change/use_change.ts';
import { MAX_IDS } from '../tank_query.ts';

/** The round is read again at this interval, because drivers and gauges change a round that is under way. */
const READ_AGAIN_MS = 15_000;

/** A change of the round, without its label. It is sent after the previous changes are stored, with the new etag. */
type PlanRequest = Omit<Request, 'label'>;
interface WaitingChange {
  isOrder: boolean;
  request: (etag: string) => PlanRequest;
}

interface UsedPlan {
  round: FleetRound | undefined;
  /** The stops as they are shown, including a change that is being saved. */
  stops: readonly FleetStop[];
  statuses: ReadonlyMap<string, TankStatus>;
  isSaving: boolean;
  /** The change that is being sent, or the last one. */
  change: UsedChange;
  error: Error | null;
  /** Replaces the stops. A change that is made while another is being saved is sent after it. */
  putStops: (stops: readonly NewStop[]) => void;
  patch: (patch: RoundPatch) => void;
  /** Sends any other change of the round. */
  run: (request: (etag: string) => PlanRequest) => void;
  refetch: () => void;
  /** Reads everything again after a change that was made elsewhere. */
  readAgain: () => void;
}

/** A stop that does not change. Its volume is not sent, because a sent volume could count as chosen by a person. */
export const inputOf = ({ tank }: FleetStop): NewStop[] => (tank === null ? [] : [{ tank_id: tank.id }]);

/**
 * The wanted stops after another change. The page did not show yet which fields and new stops an earlier change has
 * given. New stops are at the end.
 */
function mergeStops(wanted: readonly NewStop[], shown: readonly FleetStop[], next: readonly NewStop[]): NewStop[] {
  const before = new Map(wanted.map((stop) => [stop.tank_id, stop]));
  const decided = new Set([...shown.map(({ tank }) => tank?.id), ...next.map(({ tank_id }) => tank_id)]);
  return [
    ...next.flatMap((stop) => (before.has(stop.tank_id) ? { ...before.get(stop.tank_id), ...stop } : [])),
    ...wanted.filter(({ tank_id }) => !decided.has(tank_id)),
    ...next.filter(({ tank_id }) => !before.has(tank_id)),
  ];
}

/** Reads and changes a stored round. After a refusal the page shows the stored round again. */
export function usePlan(id: string, label: string): UsedPlan {
  const cache = useQueryClient();
  const readAgain = useReadAgain(['plan'], ['rounds'], ['proposal']);
  const key = ['plan', id];
  const { data, error, refetch } = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const [round, { etag }] = await Promise.all([
        fleet.round(id, { signal }),
        client.manage.rounds.retrieve(id, { signal }),
      ]);
      return { round, etag };
    },
    refetchInterval: READ_AGAIN_MS,
  });
  const [order, setOrder] = useState<readonly NewStop[] | null>(null);
  const [isSaving, setIsSaving] = useState(false);
  /** The same list, for a change that is made before the page shows the previous one. */
  const wanted = useRef<readonly NewStop[] | null>(null);
  const waiting = useRef<readonly WaitingChange[]>([]);
  const isRunning = useRef(false);

  const ids = data?.round.stops.flatMap(({ tank }) => tank?.id ?? []) ?? [];
  const tanks = useQuery({
    queryKey: ['plan', 'tanks', ids],
    queryFn: async ({ signal }) => {
      const parts = Array.from({ length: Math.ceil(ids.length / MAX_IDS) }, (_, index) =>
        fleet.tanks({ ids: ids.slice(index * MAX_IDS, (index + 1) * MAX_IDS).join(','), size: MAX_IDS }, { signal }),
      );
      return (await Promise.all(parts)).flatMap((page) => page.data);
    },
    enabled: ids.length > 0,
    refetchInterval: READ_AGAIN_MS,
    placeholderData: (before) => before,
  });

  const want = (stops: readonly NewStop[] | null): void => {
    wanted.current = stops;
    setOrder(stops);
  };
  /** Reads the stored round again, because the next change needs its etag. */
  const settle = async (): Promise<void> => {
    await Promise.all([cache.invalidateQueries({ queryKey: key }), cache.invalidateQueries({ queryKey: ['rounds'] })]);
    void cache.invalidateQueries({ queryKey: ['proposal'] });
    if (waiting.current.length > 0) return sendNext();
    isRunning.current = false;
    want(null);
    setIsSaving(false);
  };
  const change = useChange<Round>(
    () => void settle(),
    () => {
      waiting.current = [];
      void settle();
    },
  );
  const sendNext = (): void => {
    const [next, ...rest] = waiting.current;
    waiting.current = rest;
    if (next === undefined) return;
    change.begin({ ...next.request(cache.getQueryData<{ etag: string }>(key)?.etag ?? ''), label });
  };
  /** Sends one change after the other. A new order replaces an order that still waits. */
  const enqueue = (added: WaitingChange): void => {
    waiting.current = [...waiting.current.filter(({ isOrder }) => !(isOrder && added.isOrder)), added];
    if (isRunning.current) return;
    isRunning.current = true;
    setIsSaving(true);
    sendNext();
  };
  const run: UsedPlan['run'] = (request) => enqueue({ isOrder: false, request });

  const known = new Map(data?.round.stops.map((stop) => [stop.tank?.id, stop]));
  const stops = order === null ? (data?.round.stops ?? []) : order.flatMap(({ tank_id }) => known.get(tank_id) ?? []);
  return {
    round: data?.round,
    stops,
    statuses: new Map(tanks.data?.map((status) => [status.tank.id, status])),
    isSaving,
    change,
    error,
    putStops(next) {
      const merged = mergeStops(wanted.current ?? stops.flatMap(inputOf), stops, next);
      want(merged);
      enqueue({
        isOrder: true,
        request: (ifMatch) => ({ method: 'PUT', path: `/rounds/${id}/stops`, body: { stops: merged }, ifMatch }),
      });
    },
    patch: (body) => run((ifMatch) => ({ method: 'PATCH', path: `/rounds/${id}`, body, ifMatch })),
    run,
    refetch: () => void refetch(),
    readAgain,
  };
}
