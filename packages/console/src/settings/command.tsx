import { Fragment, useRef } from 'react';
import { CopyButton } from '../parts/copy_button.tsx';
import { useTexts } from '../preferences.tsx';
import { SETTINGS_TEXTS } from '../translations/settings.ts';

/** A command of the operator, ready to be copied. */
export function Command({ title, text }: { title: string; text: string }) {
  const settings = useTexts(SETTINGS_TEXTS);
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
