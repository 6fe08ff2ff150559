import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';

interface ListOptions<Item> {
  /** Identifies the list in the cache. */
  key: readonly string[];
  read: (signal: AbortSignal) => Promise<Item[]>;
  isEnabled?: boolean;
  /** A change of another administrator appears within this time. */
  refreshMs: number;
}

export type ReadAgain<Item> = () => Promise<readonly Item[] | undefined>;

/** A list of settings that is read at an interval, and a function that reads it at once. */
export function useManagedList<Item>({
  key,
  read,
  isEnabled = true,
  refreshMs,
}: ListOptions<Item>): UseQueryResult<Item[]> & { readAgain: ReadAgain<Item> } {
  const queryClient = useQueryClient();
  const queryKey = ['manage', ...key];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => read(signal),
    enabled: isEnabled,
    refetchInterval: refreshMs,
  });
  const readAgain: ReadAgain<Item> = async () => {
    await queryClient.invalidateQueries({ queryKey });
    return queryClient.getQueryData<Item[]>(queryKey);
  };
  return { ...query, readAgain };
}
