import { queryOptions } from '@tanstack/react-query';
import { fleet } from '../api.ts';

/** Finds tanks and customers. The head of the page and forms use the same search. */
export const searchQuery = (q: string) =>
  queryOptions({ queryKey: ['search', q], queryFn: ({ signal }) => fleet.search(q, { signal }), staleTime: 5_000 });
