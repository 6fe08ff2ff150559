import { queryOptions } from '@tanstack/react-query';
import { fleet } from '../api.ts';

/** Tanks and customers that match. The head of the page and forms search in the same way. */
export const searchQuery = (q: string) =>
  queryOptions({ queryKey: ['search', q], queryFn: ({ signal }) => fleet.search(q, { signal }), staleTime: 5_000 });
