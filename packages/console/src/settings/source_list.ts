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

/** Whether a source of this kind provides readings. */
export const hasDevices = (kind: SourceKind): boolean => !isWeather(kind) && kind !== 'home_assistant';

export const isWeather = (kind: SourceKind): boolean => kind === 'nws' || kind === 'dwd' || kind === 'weather_csv';

/** The result of a test appears within this time. */
const REFRESH_MS = 3_000;

/** The sources of the organization, in the order in which they were added. */
export const useSources = ({ isEnabled }: { isEnabled: boolean }) =>
  useManagedList<Connector>({
    key: ['connectors'],
    read: async (signal) => (await client.manage.connectors.list({ signal })).data,
    isEnabled,
    refreshMs: REFRESH_MS,
  });
