import { type QueryKey, useQueryClient } from '@tanstack/react-query';

/** Returns a function that reads all queries again whose keys begin with one of these keys. */
export function useReadAgain(...keys: readonly QueryKey[]): () => void {
  const queryClient = useQueryClient();
  return () => {
    for (const queryKey of keys) void queryClient.invalidateQueries({ queryKey });
  };
}
