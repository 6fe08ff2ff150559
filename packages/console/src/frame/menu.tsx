import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { signOut } from '../api.ts';
import { Select } from '../forms/select.tsx';
import { Button } from '../parts/button.tsx';
import { LANGUAGES, THEMES, usePreferences } from '../preferences_and_words.tsx';
import { useCan, usePersonName } from '../session.ts';

export function Menu({ hasSettings }: { hasSettings: boolean }) {
  const { words, language, theme, change } = usePreferences();
  const queryClient = useQueryClient();
  const canExchange = useCan('devices');
  const isPerson = usePersonName() !== null;
  const details = useRef<HTMLDetailsElement>(null);

  useEffect(() => {
    const close = (event: Event): void => {
      const isOutside = event.target instanceof Node && !details.current?.contains(event.target);
      const isEscape = event instanceof KeyboardEvent && event.key === 'Escape';
      if (details.current?.open && (event instanceof KeyboardEvent ? isEscape : isOutside)) {
        details.current.open = false;
        if (isEscape) details.current.querySelector('summary')?.focus();
      }
    };
    document.addEventListener('pointerdown', close);
    document.addEventListener('keydown', close);
    return () => {
      document.removeEventListener('pointerdown', close);
      document.removeEventListener('keydown', close);
    };
  }, []);

  const end = async (): Promise<void> => {
    await signOut();
    queryClient.clear();
    window.location.assign('/console/');
  };
  return (
    <details className="menu" ref={details}>
      <summary aria-label={words.menu.open} title={words.menu.open}>
        <svg viewBox="0 0 20 20" aria-hidden="true">
          <path d="M3 5h14M3 10h14M3 15h14" />
        </svg>
      </summary>
      <div className="menu-body">
        <label>
          {words.menu.language}
          <select
            value={language}
            onChange={({ target }) =>
              change({ language: LANGUAGES.find(({ code }) => code === target.value)?.code ?? null })
            }
          >
            {LANGUAGES.map(({ code, name }) => (
              <option key={code} value={code} lang={code}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          {words.menu.theme}
          <Select
            value={theme}
            options={THEMES.map((one) => [one, words.menu.themes[one]])}
            onChange={(chosen) => change({ theme: chosen })}
          />
        </label>
        {canExchange && (
          <Link href="/commission" className="button" onClick={() => details.current?.removeAttribute('open')}>
            {words.menu.commission}
          </Link>
        )}
        {isPerson && (
          <Link href="/notifications" className="button" onClick={() => details.current?.removeAttribute('open')}>
            {words.menu.notifications}
          </Link>
        )}
        {hasSettings && (
          <Link href="/settings" className="button" onClick={() => details.current?.removeAttribute('open')}>
            {words.menu.settings}
          </Link>
        )}
        <Button onClick={() => void end()}>{words.menu.signOut}</Button>
      </div>
    </details>
  );
}
