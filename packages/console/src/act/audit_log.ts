import { fieldOf, textOf } from './change.ts';
import { readManagedList } from './managed_list.ts';

export interface AuditEntry {
  number: number;
  at: string;
  /** Such as `contact <id>`, `key <prefix>`, or the name of an operator. */
  actor: string;
  /** Of a person who is still here. */
  name: string | null;
  action: string;
  changed: string;
  changedId: string | null;
  /** Such as the address of a contact. Null: none, or it was deleted. */
  changedName: string | null;
  /** Of a note, a handling or a mute. */
  tankId: string | null;
  changedObjects: number;
  fields: readonly string[];
}

export interface AuditPage {
  entries: readonly AuditEntry[];
  hasMore: boolean;
}

/** The newest entries, or those before a number. Throws if the service does not answer. */
export async function readAudit(
  { before, size }: { before: string | null; size: number },
  signal: AbortSignal,
): Promise<AuditPage> {
  const query = new URLSearchParams({ size: String(size), ...(before === null ? {} : { before }) });
  const { items, hasMore } = await readManagedList(`/audit?${query}`, signal);
  return { entries: items.flatMap(entryIn), hasMore };
}

function entryIn(value: unknown): AuditEntry[] {
  const [at, actor, action, changed] = ['at', 'actor', 'action', 'changed'].map((name) => textOf(value, name));
  const fields = fieldOf(value, 'fields');
  if (typeof at !== 'string' || typeof actor !== 'string') return [];
  return [
    {
      number: Number(fieldOf(value, 'number')),
      at,
      actor,
      name: textOf(value, 'name'),
      action: action ?? '',
      changed: changed ?? '',
      changedId: textOf(value, 'changed_id'),
      changedName: textOf(value, 'changed_name'),
      tankId: textOf(value, 'tank_id'),
      changedObjects: Number(fieldOf(value, 'changed_objects')),
      fields: Array.isArray(fields) ? fields.filter((field) => typeof field === 'string') : [],
    },
  ];
}
