import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { DRAFT_PREFIX, SESSION_QUERY_KEY, type Session } from '../api.ts';
import { DRAFT_GONE, forgetDraft, senderIdOf } from '../change/change.ts';

/** The values that were typed into a form and not saved. This tab keeps them through a reload and the end of a session. */
interface Draft<Name extends string> {
  values: Readonly<Record<Name, string>>;
  /** The values when the form was opened. */
  base: Readonly<Record<Name, string>>;
  /** The etag of the object when the form was opened. Null for a new object. */
  etag: string | null;
}

export interface UsedDraft<Name extends string> extends Draft<Name> {
  /** The name to pass with the change, which deletes the draft when it is saved. */
  name: string;
  change: (values: Partial<Record<Name, string>>) => void;
  /** The fields that differ from `base`. */
  changed: readonly Name[];
  forget: () => void;
}

/** Returns the name of a draft of this person. Deletes drafts of people who were signed in in this tab before. */
function useDraftName(what: string): string {
  const queryClient = useQueryClient();
  const [own] = useState(() => {
    const prefix = `${DRAFT_PREFIX}${senderIdOf(queryClient.getQueryData<Session | null>(SESSION_QUERY_KEY))}.`;
    for (const name of Object.keys(sessionStorage))
      if (name.startsWith(DRAFT_PREFIX) && !name.startsWith(prefix)) sessionStorage.removeItem(name);
    return prefix;
  });
  return own + what;
}

/** Whether a form is open. With a stored draft, it is open at first. It closes when its draft is saved or discarded. */
export function useOpenForm(what: string): { isOpen: boolean; open: () => void; close: () => void } {
  const name = useDraftName(what);
  const [isOpen, setOpen] = useState(() => sessionStorage.getItem(name) !== null);
  useEffect(() => {
    const close = (event: Event): void => {
      if (event instanceof CustomEvent && event.detail === name) setOpen(false);
    };
    window.addEventListener(DRAFT_GONE, close);
    // The draft may have been saved between the first render and this effect.
    if (sessionStorage.getItem(name) === null) setOpen(false);
    return () => window.removeEventListener(DRAFT_GONE, close);
  }, [name]);
  return { isOpen, open: () => setOpen(true), close: () => setOpen(false) };
}

/** The values of a form. This tab stores them while they are typed. */
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

/** Null if there is no draft, or if it is from an earlier release with other fields. */
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
