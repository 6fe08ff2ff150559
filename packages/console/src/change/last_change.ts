import type { AuditEntry } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { client } from '../api.ts';
import { useCan } from '../session.ts';

/** The last change of an object in the audit log. Null if it is not known, or if the person may not see the log. */
export function useLastChange(objectId: string): AuditEntry | null {
  const canSee = useCan('audit');
  const { data } = useQuery({
    queryKey: ['last-change', objectId],
    // The change was made a moment ago, so it is among the newest entries.
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
