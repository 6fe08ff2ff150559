import { useEffect, useRef } from 'react';
import { CopyButton } from '../parts/copy_button.tsx';
import { usePreferences } from '../preferences.tsx';
import { MANAGE_WORDS } from '../words/manage_words.ts';
import { SETTINGS_WORDS } from '../words/settings_words.ts';

export interface NewSecret {
  host: string;
  text: string;
  /** The secret before it is valid until then. Null: there was none. */
  previousUntil: string | null;
}

/** The secret of a webhook, which the service shows once. */
export function SecretOnce({ secret, onStored }: { secret: NewSecret; onStored: () => void }) {
  const { language, format } = usePreferences();
  const texts = MANAGE_WORDS[language].webhooks;
  const { copy, copied } = SETTINGS_WORDS[language];
  const panel = useRef<HTMLElement>(null);
  const code = useRef<HTMLElement>(null);
  // It may stand above the form that asked for it.
  useEffect(() => panel.current?.focus(), []);
  return (
    <section ref={panel} tabIndex={-1} className="panel secret" aria-labelledby="secret">
      <h2 id="secret">{texts.secretOf(secret.host)}</h2>
      <p>{texts.copyNow}</p>
      <p className="command">
        <code ref={code}>{secret.text}</code>
        <CopyButton text={secret.text} shown={{ copy, copied }} source={() => code.current} />
      </p>
      {secret.previousUntil !== null && (
        <p className="meta">{texts.bothUntil(format.dateTime(secret.previousUntil))}</p>
      )}
      <button type="button" className="button" onClick={onStored}>
        {texts.stored}
      </button>
    </section>
  );
}
