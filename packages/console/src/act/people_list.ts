import type { EVENT_TYPES } from '@tankwatch/client';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { fieldOf, textOf } from './change.ts';

export const ROLES = ['viewer', 'dispatcher', 'technician', 'administrator'] as const;
export type Role = (typeof ROLES)[number];

/** Events that are mailed at once, the most urgent first. */
export const MAILED_TYPES = [
  'tank.rapid_loss',
  'tank.low_fill',
  'tank.gauge_unreliable',
  'tank.device_silent',
  'tank.refilled',
  'tank.fill_recovered',
  'tank.gauge_reliable',
  'tank.device_reporting',
] as const satisfies readonly (typeof EVENT_TYPES)[number][];
export type MailedType = (typeof MAILED_TYPES)[number];

/** A contact: somebody who gets mails, uses the console, or both. */
export interface Person {
  id: string;
  email: string;
  name: string | null;
  /** Empty: gets mails, and cannot enter the console. */
  roles: readonly Role[];
  types: readonly MailedType[];
  /** Time of the daily digest, such as 07:00. Null: none. */
  digestAt: string | null;
  etag: string;
}

export type ReadPeople = () => Promise<readonly Person[] | undefined>;

const PEOPLE_KEY = ['people'];
/** What another administrator changes appears within this time. */
const REFRESH_MS = 5_000;

/** All contacts of the organization, those with roles first. */
export function usePeople({ isEnabled }: { isEnabled: boolean }) {
  const queryClient = useQueryClient();
  const query = useQuery({
    queryKey: PEOPLE_KEY,
    queryFn: ({ signal }) => readPeople(signal),
    enabled: isEnabled,
    refetchInterval: REFRESH_MS,
  });
  return { ...query, readAgain: () => readAgain(queryClient) };
}

async function readAgain(queryClient: QueryClient): Promise<readonly Person[] | undefined> {
  await queryClient.invalidateQueries({ queryKey: PEOPLE_KEY });
  return queryClient.getQueryData<readonly Person[]>(PEOPLE_KEY);
}

async function readPeople(signal: AbortSignal): Promise<Person[]> {
  const response = await fetch('/manage/v1/contacts', { signal, headers: { accept: 'application/json' } });
  if (!response.ok) throw new Error(`GET /manage/v1/contacts returned ${response.status}`);
  const data = fieldOf(await response.json(), 'data');
  const people = Array.isArray(data) ? data.flatMap(personIn) : [];
  return people.toSorted((one, other) => Number(other.roles.length > 0) - Number(one.roles.length > 0));
}

function personIn(value: unknown): Person[] {
  const [id, email, etag] = [textOf(value, 'id'), textOf(value, 'email'), textOf(value, 'etag')];
  if (id === null || email === null || etag === null) return [];
  const [roles, types] = [fieldOf(value, 'roles'), fieldOf(value, 'types')];
  return [
    {
      id,
      email,
      name: textOf(value, 'name'),
      roles: Array.isArray(roles) ? ROLES.filter((role) => roles.includes(role)) : [],
      types: Array.isArray(types) ? MAILED_TYPES.filter((type) => types.includes(type)) : [],
      digestAt: textOf(value, 'digest_at'),
      etag,
    },
  ];
}

export const nameOfPerson = ({ name, email }: Pick<Person, 'name' | 'email'>): string => name ?? email;

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@.]+$/;

/** Whether an address can be one. The service checks it again. */
export const isEmail = (text: string): boolean => EMAIL.test(text.trim());
