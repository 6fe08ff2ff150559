import { useQuery } from '@tanstack/react-query';
import { useCan } from '../session.ts';
import { type AuditEntry, readAudit } from './audit_log.ts';

/** Who changed an object last, for those who may see the audit log. Null: it is not known. */
export function useLastChange(objectId: string): AuditEntry | null {
  const canSee = useCan('audit');
  const { data } = useQuery({
    queryKey: ['last-change', objectId],
    // The change was made a moment ago: it is among the newest entries.
    queryFn: async ({ signal }) => {
      const { entries } = await readAudit({ before: null, size: 50 }, signal);
      return entries.find(({ changedId }) => changedId === objectId) ?? null;
    },
    enabled: canSee,
    staleTime: 0,
    gcTime: 0,
  });
  return data ?? null;
}
