import { fieldOf, textOf } from './change.ts';

export const ROLES = ['viewer', 'dispatcher', 'technician', 'administrator'] as const;
export type Role = (typeof ROLES)[number];

export interface Person {
  id: string;
  email: string;
  name: string | null;
  /** Empty: gets mails, and cannot enter the console. */
  roles: readonly Role[];
  etag: string;
}

/** All contacts of the organization, those with roles first. Throws if the service does not answer. */
export async function readPeople(signal: AbortSignal): Promise<Person[]> {
  const response = await fetch('/manage/v1/contacts', { signal, headers: { accept: 'application/json' } });
  if (!response.ok) throw new Error(`GET /manage/v1/contacts returned ${response.status}`);
  const data = fieldOf(await response.json(), 'data');
  const people = Array.isArray(data) ? data.flatMap(personIn) : [];
  return people.toSorted((one, other) => Number(other.roles.length > 0) - Number(one.roles.length > 0));
}

function personIn(value: unknown): Person[] {
  const [id, email, etag] = [textOf(value, 'id'), textOf(value, 'email'), textOf(value, 'etag')];
  const given = fieldOf(value, 'roles');
  if (id === null || email === null || etag === null) return [];
  const roles = Array.isArray(given) ? ROLES.filter((role) => given.includes(role)) : [];
  return [{ id, email, name: textOf(value, 'name'), roles, etag }];
}

export const nameOfPerson = ({ name, email }: Pick<Person, 'name' | 'email'>): string => name ?? email;
