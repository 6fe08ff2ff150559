import { queryOptions } from '@tanstack/react-query';
import { fleet } from './api.ts';

export const tankQuery = (id: string) =>
  queryOptions({ queryKey: ['tank', id], queryFn: ({ signal }) => fleet.tank(id, { signal }) });
