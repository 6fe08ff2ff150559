import { type FormEvent, useState } from 'react';
import { usePreferences } from '../preferences.tsx';
import { ACT_WORDS } from '../words/act_words.ts';
import { MANAGE_WORDS } from '../words/manage_words.ts';
import { ChangeNotice } from './change_notice.tsx';
import { Field } from './field.tsx';
import type { UsedChange } from './use_change.ts';

interface RemovalProps {
  /** What must be typed. */
  name: string;
  /** What is lost besides. Empty: nothing. */
  consequence: string;
  change: UsedChange;
  /** What a conflict means here. */
  conflict: string;
  onConfirm: () => void;
}

/** A removal that cannot be undone: the person types the name of what is removed. */
export function Removal({ name, consequence, change, conflict, onConfirm }: RemovalProps) {
  const { language } = usePreferences();
  const all = ACT_WORDS[language];
  const texts = MANAGE_WORDS[language].removal;
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const [isTried, setTried] = useState(false);
  const isTyped = typed.trim() === name;
  if (!isOpen) {
    return (
      <button type="button" className="button small" aria-label={texts.openOf(name)} onClick={() => setOpen(true)}>
        {texts.open}
      </button>
    );
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (isTyped) onConfirm();
  };
  return (
    <form className="act-form removal" aria-label={texts.openOf(name)} onSubmit={submit} noValidate>
      <fieldset disabled={change.isBusy}>
        <Field label={texts.type(name)} help={consequence} problem={isTried && !isTyped ? texts.wrong(name) : ''}>
          {(attributes) => (
            <input
              {...attributes}
              type="text"
              autoComplete="off"
              spellCheck={false}
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
            />
          )}
        </Field>
        <p className="button-row">
          <button type="submit" className="button primary">
            {change.state.kind === 'sending' ? all.saving : texts.confirm}
          </button>
          <button type="button" className="button" onClick={() => setOpen(false)}>
            {all.cancel}
          </button>
        </p>
      </fieldset>
      <ChangeNotice change={change} conflict={() => conflict} />
    </form>
  );
}
