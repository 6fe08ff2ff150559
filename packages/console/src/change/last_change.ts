import type { AuditEntry } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { client } from '../api.ts';
import { useCan } from '../session.ts';

/** Who changed an object last, for those who may see the audit log. Null if it is not known. */
export function useLastChange(objectId: string): AuditEntry | null {
  const canSee = useCan('audit');
  const { data } = useQuery({
    queryKey: ['last-change', objectId],
    // The change was made a moment ago: it is among the newest entries.
    queryFn: async ({ signal }) => {
      const { data: entries } = await client.manage.audit({ size: 50 }, { signal });
      return entries.find(({ changed_id }) => changed_id === objectId) ?? null;
    },
    enabled: canSee,
    staleTime: 0,
    gcTime: 0,
  });
  return data ?? null;
}
