import { useEffect, useState } from 'react';
import { Button } from './button.tsx';

const SHOWN_MS = 2_000;

interface CopyButtonProps {
  text: string;
  /** The text of the button, before and after copying. */
  shown: { copy: string; copied: string };
  label?: string;
  isDisabled?: boolean;
  /** The node that is selected if the browser refuses to copy. */
  source: () => Node | null;
}

/** Copies a text. Without https, scripts cannot use the clipboard; then the text is selected instead. */
export function CopyButton({ text, shown, label, isDisabled = false, source }: CopyButtonProps) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setIsCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setIsCopied(true);
    } catch {
      const node = source();
      if (node !== null) window.getSelection()?.selectAllChildren(node);
    }
  };
  return (
    <Button aria-label={isCopied ? shown.copied : label} disabled={isDisabled} onClick={() => void copy()}>
      {isCopied ? shown.copied : shown.copy}
    </Button>
  );
}
