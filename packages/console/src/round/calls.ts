import type {
  DriverLink,
  Drivers,
  FleetRound,
  NewRound,
  Round,
  RoundList,
  RoundPatch,
  RoundProposal,
  RoundRequest,
  Trucks,
} from '@tankwatch/client';

/** A change or a read that the service refused. */
export class RoundProblem extends Error {
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

interface CallOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  body?: object;
  ifMatch?: string;
}

const TIMEOUT_MS = 20_000;

/** The answers are those of the OpenAPI document, which a test of the service compares with its statements. */
async function call<Answer>(path: string, { method = 'GET', body, ifMatch }: CallOptions = {}): Promise<Answer> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const response = await fetch(path, {
    method,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': type }),
      ...(method === 'POST' ? { 'idempotency-key': crypto.randomUUID() } : {}),
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const answer: unknown = response.status === 204 ? null : await response.json().catch(() => null);
  if (!response.ok) throw new RoundProblem(response.status, detailOf(answer));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as in the client: the service checks its answers against this type
  return answer as Answer;
}

function detailOf(answer: unknown): string {
  const detail: unknown = typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'detail') : null;
  return typeof detail === 'string' ? detail : '';
}

export interface StopInput {
  tank_id: string;
  kind?: 'must' | 'could' | 'added';
  volume?: number;
}

const of = (id: string): string => `/manage/v1/rounds/${encodeURIComponent(id)}`;

export const roundCalls = {
  trucks: () => call<Trucks>('/manage/v1/trucks'),
  drivers: () => call<Drivers>('/manage/v1/drivers'),
  createDepot: (depot: { name: string; latitude: number; longitude: number }) =>
    call<{ id: string }>('/manage/v1/depots', { method: 'POST', body: depot }),
  createTruck: (truck: { name: string; depot_id: string; capacity: number; capacity_unit: string }) =>
    call<{ id: string }>('/manage/v1/trucks', { method: 'POST', body: truck }),
  createDriver: (driver: { name: string; phone: string | null }) =>
    call<{ id: string }>('/manage/v1/drivers', { method: 'POST', body: driver }),
  ofDay: (date: string) => call<RoundList>(`/fleet/v1/rounds?from=${date}&to=${date}`),
  read: (id: string) => call<FleetRound>(`/fleet/v1/rounds/${encodeURIComponent(id)}`),
  vroom: (id: string) => call<object>(`/fleet/v1/rounds/${encodeURIComponent(id)}?format=vroom`),
  plan: (id: string) => call<Round>(of(id)),
  propose: (request: RoundRequest) =>
    call<RoundProposal>('/manage/v1/round-proposals', { method: 'POST', body: request }),
  create: (round: NewRound) => call<Round>('/manage/v1/rounds', { method: 'POST', body: round }),
  update: (id: string, patch: RoundPatch, ifMatch: string) =>
    call<Round>(of(id), { method: 'PATCH', body: patch, ifMatch }),
  putStops: (id: string, stops: readonly StopInput[], ifMatch: string) =>
    call<Round>(`${of(id)}/stops`, { method: 'PUT', body: { stops }, ifMatch }),
  putVroomOrder: (id: string, solution: object, ifMatch: string) =>
    call<Round>(`${of(id)}/vroom-order`, { method: 'PUT', body: { solution }, ifMatch }),
  putOutcome: (id: string, stop: number, outcome: { outcome: string; volume?: number; reason?: string }) =>
    call<Round>(`${of(id)}/stops/${stop}/outcome`, { method: 'PUT', body: outcome }),
  makeLink: (id: string) => call<DriverLink>(`${of(id)}/driver-link`, { method: 'POST' }),
  endLinks: (id: string) => call<null>(`${of(id)}/driver-link`, { method: 'DELETE' }),
};
