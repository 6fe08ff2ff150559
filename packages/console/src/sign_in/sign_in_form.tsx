import { type FormEvent, type InputHTMLAttributes, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { readSession } from '../api.ts';
import { Button } from '../parts/button.tsx';
import { useTranslation } from '../preferences_and_words.tsx';

interface FormProps {
  /** Returns the problem as a sentence, or an empty text if there is none. */
  submit: () => Promise<string>;
  label: string;
  busyLabel: string;
  /** Gets the problem, because it is shown directly below the field. */
  children: (problem: string) => ReactNode;
}

/** A form with one field, its problem and its button. */
export function SignInForm({ submit, label, busyLabel, children }: FormProps) {
  const { problem: problems } = useTranslation();
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setIsBusy(true);
    try {
      setProblem(await submit());
    } catch {
      setProblem(problems.connection);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void send(event)}>
      {children(problem)}
      <Button type="submit" className="primary" disabled={isBusy}>
        {isBusy ? busyLabel : label}
      </Button>
    </form>
  );
}

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange'> {
  label: string;
  help: string;
  /** Empty if there is none. */
  problem: string;
  /** True if the field gets the focus, because it has replaced the field in which the person typed. */
  isNext?: boolean;
  onChange: (value: string) => void;
}

export function Field({ label, help, problem, isNext = false, onChange, ...input }: FieldProps) {
  const id = useId();
  const element = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isNext) element.current?.focus();
  }, [isNext]);
  return (
    <>
      <label htmlFor={`${id}input`}>{label}</label>
      <input
        {...input}
        ref={element}
        id={`${id}input`}
        required
        aria-describedby={`${id}problem ${id}help`}
        aria-invalid={problem !== ''}
        onChange={({ target }) => onChange(target.value)}
      />
      <p role="alert" className="field-error" id={`${id}problem`}>
        {problem}
      </p>
      <p className="meta" id={`${id}help`}>
        {help}
      </p>
    </>
  );
}

/** Calls `onSignedIn` when the person comes back to this tab and is signed in. */
export function useReturnedToTab(onSignedIn: () => void): void {
  useEffect(() => {
    const check = async (): Promise<void> => {
      if (document.visibilityState === 'visible' && (await readSession().catch(() => null)) !== null) onSignedIn();
    };
    const listen = (): void => void check();
    document.addEventListener('visibilitychange', listen);
    return () => document.removeEventListener('visibilitychange', listen);
  });
}
