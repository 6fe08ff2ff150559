import { queryOptions, useQuery } from '@tanstack/react-query';
import { readSession, SESSION_KEY } from './api.ts';

export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  queryFn: readSession,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Whether the person may change it, such as `alerts`. */
export const useCan = (right: string): boolean => useQuery(sessionQuery).data?.can.includes(right) ?? false;
