import { useQuery } from '@tanstack/react-query';
import { useCan } from '../session.ts';
import { fieldOf, textOf } from './change.ts';

export interface LastChange {
  /** Null: a program or an operator. */
  name: string | null;
  at: string;
}

/** Who changed an object last, for those who may see the audit log. Null: it is not known. */
export function useLastChange(objectId: string): LastChange | null {
  const canSee = useCan('audit');
  const { data } = useQuery({
    queryKey: ['last-change', objectId],
    queryFn: ({ signal }) => readLastChange(objectId, signal),
    enabled: canSee,
    staleTime: 0,
    gcTime: 0,
  });
  return data ?? null;
}

/** The change was made a moment ago: it is among the newest entries. */
async function readLastChange(objectId: string, signal: AbortSignal): Promise<LastChange | null> {
  const response = await fetch('/manage/v1/audit?size=50', { signal, headers: { accept: 'application/json' } });
  if (!response.ok) return null;
  const data = fieldOf(await response.json(), 'data');
  const entry: unknown = Array.isArray(data) ? data.find((one) => textOf(one, 'changed_id') === objectId) : null;
  const at = textOf(entry, 'at');
  return at === null ? null : { name: textOf(entry, 'name'), at };
}
