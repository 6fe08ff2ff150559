import type { Connector } from '@tankwatch/client';
import { client } from '../api.ts';
import { type ReadAgain, useManagedList } from './managed_list.ts';

export type SourceKind = Connector['kind'];
export type ReadSources = ReadAgain<Connector>;

export const SOURCE_KINDS = [
  'otodata',
  'tank_utility',
  'mqtt',
  'json',
  'nws',
  'dwd',
  'weather_csv',
  'home_assistant',
] as const satisfies readonly SourceKind[];

/** Whether it brings readings. */
export const hasDevices = (kind: SourceKind): boolean => !isWeather(kind) && kind !== 'home_assistant';

export const isWeather = (kind: SourceKind): boolean => kind === 'nws' || kind === 'dwd' || kind === 'weather_csv';

/** What a try has found appears within this time. */
const REFRESH_MS = 3_000;

/** The sources of the organization, in the order in which they were added. */
export const useSources = ({ isEnabled }: { isEnabled: boolean }) =>
  useManagedList<Connector>({
    key: ['connectors'],
    read: async (signal) => (await client.manage.connectors.list({ signal })).data,
    isEnabled,
    refreshMs: REFRESH_MS,
  });
