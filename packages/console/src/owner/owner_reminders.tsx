import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FormProblem } from '../forms/form_problem.tsx';
import { Button } from '../parts/button.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { ACCOUNT_TEXTS } from '../translations/accounts.ts';

/** Lets an owner who ended the reminders turn them on again. */
export function OwnerReminders({ offSince }: { offSince: string }) {
  const { format } = usePreferences();
  const texts = useTexts(ACCOUNT_TEXTS);
  const cache = useQueryClient();
  const [problem, setProblem] = useState('');
  const turnOn = async (): Promise<void> => {
    const isDone = await fetch('/session/reminders', { method: 'POST' }).then(
      ({ ok }) => ok,
      () => false,
    );
    setProblem(isDone ? '' : texts.remindersFailed);
    if (isDone) await cache.invalidateQueries({ queryKey: ['session'] });
  };
  return (
    <div className="notice">
      <p>{texts.remindersOff(format.date(offSince))}</p>
      <p>
        <Button onClick={() => void turnOn()}>{texts.remindersOn}</Button>
      </p>
      <FormProblem>{problem}</FormProblem>
    </div>
  );
}
