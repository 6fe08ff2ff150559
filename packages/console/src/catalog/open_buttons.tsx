import { type ReactNode, useState } from 'react';
import { Button } from '../parts/button.tsx';

interface Opening {
  isOpen: boolean;
  open: () => void;
  close: () => void;
}

/** Whether a form without a draft is open. */
export function useOpening(): Opening {
  const [isOpen, setOpen] = useState(false);
  return { isOpen, open: () => setOpen(true), close: () => setOpen(false) };
}

interface OpenButtonProps {
  opening: Opening;
  children: ReactNode;
}

/** A button that opens and closes a form below it. The button stays visible, so that it can get the focus back. */
export function OpenButton({ opening, children }: OpenButtonProps) {
  return (
    <Button aria-expanded={opening.isOpen} onClick={opening.isOpen ? opening.close : opening.open}>
      {children}
    </Button>
  );
}
