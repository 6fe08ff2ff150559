import { useQuery, useQueryClient } from '@tanstack/react-query';
import { fieldOf } from './change.ts';

interface ManagedList {
  /** What they hold is checked by whoever reads them. */
  items: readonly unknown[];
  hasMore: boolean;
}

/** Reads a list below `/manage/v1`. Throws if the service does not answer. */
export async function readManagedList(path: string, signal: AbortSignal): Promise<ManagedList> {
  const response = await fetch(`/manage/v1${path}`, { signal, headers: { accept: 'application/json' } });
  if (!response.ok) throw new Error(`GET /manage/v1${path} returned ${response.status}`);
  const body: unknown = await response.json();
  const data = fieldOf(body, 'data');
  return { items: Array.isArray(data) ? data : [], hasMore: fieldOf(body, 'has_more') === true };
}

interface ListOptions<Item> {
  path: string;
  /** What the page shows of the list. */
  itemsOf: (items: readonly unknown[]) => Item[];
  isEnabled?: boolean;
  /** What another administrator changes appears within this time. */
  refreshMs: number;
}

export type ReadAgain<Item> = () => Promise<readonly Item[] | undefined>;

/** A list below `/manage/v1` that stays current, and the way to read it at once. */
export function useManagedList<Item>({ path, itemsOf, isEnabled = true, refreshMs }: ListOptions<Item>) {
  const queryClient = useQueryClient();
  const queryKey = ['manage', path];
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }) => itemsOf((await readManagedList(path, signal)).items),
    enabled: isEnabled,
    refetchInterval: refreshMs,
  });
  const readAgain: ReadAgain<Item> = async () => {
    await queryClient.invalidateQueries({ queryKey });
    return queryClient.getQueryData<Item[]>(queryKey);
  };
  return { ...query, readAgain };
}
