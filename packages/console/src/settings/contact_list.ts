import type { Contact } from '@tankwatch/client';
import { client } from '../api.ts';
import { type ReadAgain, useManagedList } from './managed_list.ts';

export type MailedType = Contact['types'][number];

/** Events that are mailed at once, the most urgent first. */
export const MAILED_TYPES = [
  'tank.rapid_loss',
  'tank.low_fill',
  'tank.order_due',
  'tank.unusual_use',
  'tank.overfilled',
  'tank.gauge_unreliable',
  'tank.device_silent',
  'tank.refilled',
  'tank.fill_recovered',
  'tank.gauge_reliable',
  'tank.device_reporting',
] as const satisfies readonly MailedType[];

export type ReadContacts = ReadAgain<Contact>;

/** All contacts of the organization. Contacts with roles come first. */
export const useContacts = ({ isEnabled }: { isEnabled: boolean }) =>
  useManagedList<Contact>({
    key: ['contacts'],
    read: async (signal) =>
      (await client.manage.contacts.list({ signal })).data
        .map((contact) => ({ ...contact, types: MAILED_TYPES.filter((type) => contact.types.includes(type)) }))
        .toSorted((one, other) => Number(other.roles.length > 0) - Number(one.roles.length > 0)),
    isEnabled,
    refreshMs: 5_000,
  });

export const nameOfContact = ({ name, email }: Pick<Contact, 'name' | 'email'>): string => name ?? email;

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@.]+$/;

/** Returns whether a text can be a mail address. The service checks it again. */
export const isEmail = (text: string): boolean => EMAIL.test(text.trim());
