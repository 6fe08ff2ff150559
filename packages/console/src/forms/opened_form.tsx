import { type ReactNode, useEffect, useId, useRef } from 'react';

interface OpenedFormProps {
  title: string;
  /** Called by Escape. What was typed stays as a draft. */
  onClose: () => void;
  /** Gets the id of the heading. */
  children: (headingId: string) => ReactNode;
}

/** A form that a button has opened: it takes the focus, Escape closes it, and the button gets the focus back. */
export function OpenedForm({ title, onClose, children }: OpenedFormProps) {
  const id = useId();
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    section.current?.querySelector<HTMLElement>('input, select, textarea, button')?.focus();
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <section
      ref={section}
      className="panel opened no-print"
      aria-labelledby={id}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children(id)}
    </section>
  );
}
