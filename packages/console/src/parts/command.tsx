import { Fragment, useEffect, useRef, useState } from 'react';
import { useWords } from '../preferences.tsx';

const SHOWN_MS = 2_000;

interface CopyButtonProps {
  text: string;
  /** On the button, and after copying. */
  shown: { copy: string; copied: string };
  label?: string;
  /** What is selected instead if the browser refuses. */
  source: () => Node | null;
}

/** Copies a text. Without https a browser has no clipboard for scripts: then the text is selected, ready to be copied. */
export function CopyButton({ text, shown, label, source }: CopyButtonProps) {
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
    <button type="button" className="button" aria-label={isCopied ? shown.copied : label} onClick={() => void copy()}>
      {isCopied ? shown.copied : shown.copy}
    </button>
  );
}

/** A command of the operator, ready to be copied. */
export function Command({ title, text }: { title: string; text: string }) {
  const { settings } = useWords();
  const code = useRef<HTMLElement>(null);
  return (
    <div className="command">
      <span className="meta">{title}</span>
      <code ref={code}>
        {text.split(' ').map((word, index) => (
          // Words do not change their places, and the same word can occur twice.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <Fragment key={index}>
            {index > 0 && ' '}
            <span>{word}</span>
          </Fragment>
        ))}
      </code>
      <CopyButton
        text={text}
        shown={{ copy: settings.copy, copied: settings.copied }}
        label={settings.copyLabel(text)}
        source={() => code.current}
      />
    </div>
  );
}

/** A value as one word of a command line. */
export const shellWord = (value: string): string =>
  /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
