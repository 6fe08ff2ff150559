import { useQuery } from '@tanstack/react-query';
import { zonedDate } from '../../../src/values/zoned_time.ts';
import type { Session } from './api.ts';
import { useNow } from './clock.ts';
import type { VolumeUnit } from './format.ts';
import { sessionQuery } from './session.ts';

export const useOrganization = (): Session['organization'] | undefined => useQuery(sessionQuery).data?.organization;

export const useVolumeUnit = (): VolumeUnit => useOrganization()?.volumeUnit ?? 'liters';

export const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The time zone of the organization, in which its days begin. Until it is known, the time zone of the browser. */
export const useZone = (): string => useOrganization()?.timeZone ?? BROWSER_ZONE;

/** Today's date in the time zone of the organization, such as 2026-11-17, wherever the browser is. */
export const useOrganizationDay = (): string => {
  const zone = useZone();
  return zonedDate(useNow(), zone);
};
