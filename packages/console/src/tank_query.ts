import { queryOptions } from '@tanstack/react-query';
import { fleet } from './api.ts';

export const tankQuery = (id: string) =>
  queryOptions({ queryKey: ['tank', id], queryFn: ({ signal }) => fleet.tank(id, { signal }) });

/** The service takes at most this many ids in one request. */
export const MAX_IDS = 100;
