import type { ReactNode } from 'react';
import type { UsedChange } from '../change/use_change.ts';
import { Button } from '../parts/button.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';

interface FormButtonsProps {
  change: UsedChange;
  /** The text of the button that sends the form. Default: save. */
  submit?: string;
  onCancel: () => void;
  /** Other buttons of the form. */
  children?: ReactNode;
}

/** The buttons that save a form and close it. */
export function FormButtons({ change, submit, onCancel, children }: FormButtonsProps) {
  const texts = useTexts(CHANGE_TEXTS);
  return (
    <p className="button-row">
      <Button type="submit" className="primary">
        {change.state.kind === 'sending' ? texts.saving : (submit ?? texts.save)}
      </Button>
      {children}
      <Button onClick={onCancel}>{texts.cancel}</Button>
    </p>
  );
}
