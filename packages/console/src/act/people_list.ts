import type { EVENT_TYPES } from '@tankwatch/client';
import { fieldOf, textOf } from './change.ts';
import { type ReadAgain, useManagedList } from './managed_list.ts';
import { ROLES, type Role } from './role_rights.ts';

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

export type ReadPeople = ReadAgain<Person>;

/** All contacts of the organization, those with roles first. */
export const usePeople = ({ isEnabled }: { isEnabled: boolean }) =>
  useManagedList({
    path: '/contacts',
    itemsOf: (items) =>
      items.flatMap(personIn).toSorted((one, other) => Number(other.roles.length > 0) - Number(one.roles.length > 0)),
    isEnabled,
    refreshMs: 5_000,
  });

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
