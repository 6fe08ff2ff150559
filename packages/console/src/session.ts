import { queryOptions, useQuery } from '@tanstack/react-query';
import { readSession, SESSION_QUERY_KEY } from './api.ts';

/** The service applies new roles at once. An open page shows the changed buttons within this time. */
const ROLES_MS = 15_000;

export const sessionQuery = queryOptions({
  queryKey: SESSION_QUERY_KEY,
  queryFn: readSession,
  staleTime: Number.POSITIVE_INFINITY,
  refetchInterval: ROLES_MS,
});

/** Whether the person has a right, such as `alerts`. */
export const useCan = (right: string): boolean => useQuery(sessionQuery).data?.rights.includes(right) ?? false;

/** The name of the person who is signed in, or the address if there is no name. Null for a session by key. */
export function usePersonName(): string | null {
  const person = useQuery(sessionQuery).data?.person ?? null;
  return person?.name ?? person?.email ?? null;
}
