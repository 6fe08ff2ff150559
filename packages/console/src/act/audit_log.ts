import { fieldOf, textOf } from './change.ts';

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
  const response = await fetch(`/manage/v1/audit?${query}`, { signal, headers: { accept: 'application/json' } });
  if (!response.ok) throw new Error(`GET /manage/v1/audit returned ${response.status}`);
  const body: unknown = await response.json();
  const data = fieldOf(body, 'data');
  return { entries: Array.isArray(data) ? data.flatMap(entryIn) : [], hasMore: fieldOf(body, 'has_more') === true };
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
      changedObjects: Number(fieldOf(value, 'changed_objects')),
      fields: Array.isArray(fields) ? fields.filter((field) => typeof field === 'string') : [],
    },
  ];
}
