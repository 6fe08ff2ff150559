import { useState } from 'react';
import { ChangeNotice } from '../change/change_notice.tsx';
import type { UsedChange } from '../change/use_change.ts';
import { useTexts } from '../preferences_and_words.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { OpenedFields } from './change_form.tsx';
import { TextField } from './field.tsx';
import { FormButtons } from './form_buttons.tsx';

interface RemovalFormProps {
  /** The text that must be typed to confirm. */
  name: string;
  /** The other consequences. Empty if there are none. */
  consequence: string;
  change: UsedChange;
  /** The text for a conflict. */
  conflict: string;
  onConfirm: () => void;
  /** The text for an object that has changed since it was read. */
  changed?: string;
  onCancel: () => void;
}

/** A removal that cannot be undone: the person types the name of what is removed. */
export function RemovalForm({
  name,
  consequence,
  change,
  conflict,
  changed = '',
  onConfirm,
  onCancel,
}: RemovalFormProps) {
  const texts = useTexts(CHANGE_TEXTS).removal;
  const [typed, setTyped] = useState('');
  const [isSubmitted, setSubmitted] = useState(false);
  const isTyped = typed.trim() === name;
  const submit = (): void => {
    setSubmitted(true);
    if (isTyped) onConfirm();
  };
  return (
    <OpenedFields
      onClose={onCancel}
      className="act-form removal"
      aria-label={texts.openOf(name)}
      onSubmit={submit}
      noValidate
    >
      <fieldset disabled={change.isBusy}>
        <TextField
          label={texts.type(name)}
          help={consequence}
          problem={isSubmitted && !isTyped ? texts.wrong(name) : ''}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={setTyped}
        />
        <FormButtons change={change} submit={texts.confirm} onCancel={onCancel} />
      </fieldset>
      <ChangeNotice change={change} conflict={() => conflict} changed={changed} />
    </OpenedFields>
  );
}
