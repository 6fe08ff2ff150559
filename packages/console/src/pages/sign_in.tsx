import { type FormEvent, useId, useState } from 'react';
import { signIn } from '../api.ts';
import { useTitle } from '../frame/title.ts';
import { LANGUAGES, usePreferences } from '../preferences.tsx';

/** Exchanges an API key for a session cookie. The key is not kept. */
export function SignInPage({ onSignedIn }: { onSignedIn: () => void }) {
  const { words, language, change } = usePreferences();
  const [apiKey, setApiKey] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const id = useId();
  useTitle(words.signIn.title);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setIsBusy(true);
    try {
      const isValid = await signIn(apiKey.trim());
      setProblem(isValid ? '' : words.signIn.wrong);
      if (isValid) onSignedIn();
    } catch {
      setProblem(words.problem.connection);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <main className="sign-in">
      <h1>
        <img src="/console/icon.svg" alt="" width="32" height="32" /> {words.product}
      </h1>
      <form onSubmit={(event) => void submit(event)}>
        <label htmlFor={`${id}key`}>{words.signIn.key}</label>
        <input
          id={`${id}key`}
          type="password"
          autoComplete="current-password"
          required
          value={apiKey}
          aria-describedby={`${id}help`}
          aria-invalid={problem !== ''}
          onChange={({ target }) => setApiKey(target.value)}
        />
        <p className="meta" id={`${id}help`}>
          {words.signIn.keyHelp}
        </p>
        <p role="alert" className="form-problem">
          {problem}
        </p>
        <button type="submit" className="button primary" disabled={isBusy}>
          {isBusy ? words.signIn.submitting : words.signIn.submit}
        </button>
      </form>
      <p className="languages">
        {LANGUAGES.map(({ code, name }) => (
          <button
            key={code}
            type="button"
            className="link"
            lang={code}
            aria-pressed={code === language}
            onClick={() => change({ language: code })}
          >
            {name}
          </button>
        ))}
      </p>
    </main>
  );
}
