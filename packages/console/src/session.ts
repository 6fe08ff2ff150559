import { queryOptions, useQuery } from '@tanstack/react-query';
import { readSession, SESSION_KEY } from './api.ts';

/** New roles count at once; the buttons of a page that stays open follow within this time. */
const ROLES_MS = 15_000;

export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  queryFn: readSession,
  staleTime: Number.POSITIVE_INFINITY,
  refetchInterval: ROLES_MS,
});

/** Whether the person may change it, such as `alerts`. */
export const useCan = (right: string): boolean => useQuery(sessionQuery).data?.can.includes(right) ?? false;

/** The person who is signed in. Null for a session by key. */
export function usePersonName(): string | null {
  const person = useQuery(sessionQuery).data?.person ?? null;
  return person?.name ?? person?.email ?? null;
}
