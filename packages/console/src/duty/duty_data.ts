import type { ContactReach, Escalation } from '@tankwatch/client';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../api.ts';
import { useManagedList } from '../settings/managed_list.ts';

/** A message that was sent appears on the page within this time. */
const REFRESH_MS = 3_000;
const PLAN_REFRESH_MS = 15_000;

/** The plan with the week that begins on the day `from`, or with this week if `from` is null. */
export function useDutyPlan(from: string | null, { isEnabled }: { isEnabled: boolean }) {
  const cache = useQueryClient();
  const query = useQuery({
    queryKey: ['manage', 'duty', from],
    queryFn: ({ signal }) => client.manage.duty.retrieve(from === null ? {} : { from }, { signal }),
    enabled: isEnabled,
    refetchInterval: PLAN_REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  const readAgain = (): Promise<void> => {
    // Weeks that are not shown have the plan as it was before. A form that is opened with it would be refused.
    cache.removeQueries({ queryKey: ['manage', 'duty'], type: 'inactive' });
    return cache.invalidateQueries({ queryKey: ['manage', 'duty'] });
  };
  return { ...query, readAgain };
}

/** How all people are reached, in the order of their names. */
export const useReach = ({ isEnabled }: { isEnabled: boolean }) =>
  useManagedList<ContactReach>({
    key: ['reach'],
    read: async (signal) => (await client.manage.duty.reach({ signal })).data,
    isEnabled,
    refreshMs: REFRESH_MS,
  });

/** The latest escalations. Those that are not over come first. */
export const useEscalations = ({ isEnabled }: { isEnabled: boolean }) =>
  useManagedList<Escalation>({
    key: ['escalations'],
    read: async (signal) => (await client.manage.duty.escalations({ signal })).data,
    isEnabled,
    refreshMs: REFRESH_MS,
  });
