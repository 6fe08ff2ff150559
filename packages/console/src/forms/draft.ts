import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { SESSION_KEY, type Session, STORED_DRAFT } from '../api.ts';
import { DRAFT_GONE, forgetDraft, senderIdOf } from '../change/change.ts';

/** What was typed into a form and not saved. It outlives a lost session and a reload, in this tab. */
interface Draft<Name extends string> {
  values: Readonly<Record<Name, string>>;
  /** What the form began with. */
  base: Readonly<Record<Name, string>>;
  /** The version that the form began with. Null for a new object. */
  etag: string | null;
}

export interface UsedDraft<Name extends string> extends Draft<Name> {
  /** The name to send with the change, which forgets the draft when it is saved. */
  name: string;
  change: (values: Partial<Record<Name, string>>) => void;
  /** The fields that differ from what the form began with. */
  changed: readonly Name[];
  forget: () => void;
}

/** The name of a draft of this person. Those of another person, who was signed in in this tab before, are forgotten. */
function useDraftName(what: string): string {
  const queryClient = useQueryClient();
  const [own] = useState(() => {
    const prefix = `${STORED_DRAFT}${senderIdOf(queryClient.getQueryData<Session | null>(SESSION_KEY))}.`;
    for (const name of Object.keys(sessionStorage))
      if (name.startsWith(STORED_DRAFT) && !name.startsWith(prefix)) sessionStorage.removeItem(name);
    return prefix;
  });
  return own + what;
}

/** Whether a form is open. It opens again if its draft is there, and closes if its draft was saved after all. */
export function useOpenForm(what: string): { isOpen: boolean; open: () => void; close: () => void } {
  const name = useDraftName(what);
  const [isOpen, setOpen] = useState(() => sessionStorage.getItem(name) !== null);
  useEffect(() => {
    const close = (event: Event): void => {
      if (event instanceof CustomEvent && event.detail === name) setOpen(false);
    };
    window.addEventListener(DRAFT_GONE, close);
    // A draft may be saved between the first drawing and this moment.
    if (sessionStorage.getItem(name) === null) setOpen(false);
    return () => window.removeEventListener(DRAFT_GONE, close);
  }, [name]);
  return { isOpen, open: () => setOpen(true), close: () => setOpen(false) };
}

/** The values of a form, which are kept in this tab while they are typed. */
export function useDraft<Name extends string>(
  what: string,
  begin: { values: Readonly<Record<Name, string>>; etag: string | null },
): UsedDraft<Name> {
  const name = useDraftName(what);
  const [draft, setDraft] = useState<Draft<Name>>(
    () => readDraft(name, begin.values) ?? { values: begin.values, base: begin.values, etag: begin.etag },
  );
  const newest = useRef(draft);
  return {
    ...draft,
    name,
    change(values) {
      newest.current = { ...newest.current, values: { ...newest.current.values, ...values } };
      setDraft(newest.current);
      keepDraft(name, newest.current);
    },
    changed: fieldsOf(begin.values).filter((field) => draft.values[field].trim() !== draft.base[field]),
    forget: () => forgetDraft(name),
  };
}

function keepDraft(name: string, draft: Draft<string>): void {
  try {
    sessionStorage.setItem(name, JSON.stringify(draft));
  } catch {
    // Storage is blocked or full: the draft is safe as long as the form is open.
  }
}

/** Null if there is none, or one of an earlier release with other fields. */
function readDraft<Name extends string>(name: string, like: Readonly<Record<Name, string>>): Draft<Name> | null {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(name) ?? 'null');
    if (typeof stored !== 'object' || stored === null) return null;
    const [values, base, etag] = ['values', 'base', 'etag'].map((part): unknown => Reflect.get(stored, part));
    return hasTexts(values, like) && hasTexts(base, like) && (etag === null || typeof etag === 'string')
      ? { values, base, etag }
      : null;
  } catch {
    return null;
  }
}

const hasTexts = <Name extends string>(
  value: unknown,
  like: Readonly<Record<Name, string>>,
): value is Record<Name, string> =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(like).every((field) => typeof Reflect.get(value, field) === 'string');

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a Record<Name, ...> are of type Name
const fieldsOf = <Name extends string>(values: Readonly<Record<Name, string>>): Name[] => Object.keys(values) as Name[];
