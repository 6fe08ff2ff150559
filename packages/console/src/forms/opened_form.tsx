import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react';

interface OpenedFormAttributes<Form> {
  ref: RefObject<Form | null>;
  onKeyDown: (event: KeyboardEvent) => void;
}

/**
 * The behavior of every form that a button opens. The form gets the focus, in the field with `data-first` if there is
 * one. Escape closes the form, and the button gets the focus back. The caller decides whether the typed values stay as
 * a draft.
 */
export function useOpenedForm<Form extends HTMLElement>(onClose: () => void): OpenedFormAttributes<Form> {
  const form = useRef<Form>(null);
  // Read before the first commit, because the form may replace the button.
  const [opener] = useState(() => ({ element: document.activeElement, label: labelOf(document.activeElement) }));
  useEffect(() => {
    const field =
      form.current?.querySelector<HTMLElement>('[data-first]') ??
      form.current?.querySelector<HTMLElement>('input, select, textarea, button');
    field?.focus();
    return () => returnFocus(opener);
  }, [opener]);
  return {
    ref: form,
    onKeyDown(event) {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      onClose();
    },
  };
}

interface Opener {
  element: Element | null;
  label: string;
}

/** Focuses the button, or a new button with the same label. If another element has the focus, nothing changes. */
function returnFocus({ element, label }: Opener): void {
  if (document.activeElement !== null && document.activeElement !== document.body) return;
  const again = element?.isConnected
    ? element
    : [...document.querySelectorAll('button')].find((button) => labelOf(button) === label);
  if (again instanceof HTMLElement) again.focus();
}

const labelOf = (element: Element | null): string => element?.ariaLabel ?? element?.textContent ?? '';

interface OpenedFormProps {
  title: string;
  onClose: () => void;
  /** Gets the id of the heading. */
  children: (headingId: string) => ReactNode;
}

/** A panel with a form that a button has opened. */
export function OpenedForm({ title, onClose, children }: OpenedFormProps) {
  const id = useId();
  return (
    <section {...useOpenedForm<HTMLElement>(onClose)} className="panel opened no-print" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children(id)}
    </section>
  );
}
