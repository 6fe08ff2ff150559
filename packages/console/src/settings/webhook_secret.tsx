import { useEffect, useRef } from 'react';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copy_button.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { SETTINGS_TEXTS } from '../translations/settings.ts';
import { WEBHOOK_TEXTS } from '../translations/webhooks.ts';

export interface NewSecret {
  host: string;
  text: string;
  /** The end of the previous secret. Null if there was none. */
  previousUntil: string | null;
}

/** The secret of a webhook, which the service shows once. */
export function SecretOnce({ secret, onStored }: { secret: NewSecret; onStored: () => void }) {
  const { format } = usePreferences();
  const texts = useTexts(WEBHOOK_TEXTS);
  const { copy, copied } = useTexts(SETTINGS_TEXTS);
  const panel = useRef<HTMLElement>(null);
  const code = useRef<HTMLElement>(null);
  // The panel may be above the form, outside the screen, so it gets the focus.
  useEffect(() => panel.current?.focus(), []);
  return (
    <section ref={panel} tabIndex={-1} className="panel secret" aria-labelledby="secret">
      <h2 id="secret">{texts.secretOf(secret.host)}</h2>
      <p>{texts.copyNow}</p>
      <p className="secret-text">
        <code ref={code}>{secret.text}</code>
        <CopyButton text={secret.text} shown={{ copy, copied }} source={() => code.current} />
      </p>
      {secret.previousUntil !== null && (
        <p className="meta">{texts.bothUntil(format.dateTime(secret.previousUntil))}</p>
      )}
      <Button onClick={onStored}>{texts.stored}</Button>
    </section>
  );
}
