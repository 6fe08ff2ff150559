import { useId, useState } from 'react';
import { useTypedNumbers } from './typed_number.ts';

interface PercentageFieldProps {
  label: string;
  value: number;
  onChange: (value: number) => void;
}

/** A field for a percentage. It is applied when the field loses the focus; other texts are not applied. */
export function PercentageField({ label, value, onChange }: PercentageFieldProps) {
  const numbers = useTypedNumbers();
  const id = useId();
  const [problem, setProblem] = useState('');
  const apply = (text: string): void => {
    const typed = numbers.percentage(text);
    setProblem('problem' in typed ? typed.problem : '');
    if ('value' in typed && typed.value !== value) onChange(typed.value);
  };
  return (
    <label>
      <span className="meta">{label}</span>
      <span className="with-unit">
        <input
          type="text"
          inputMode="decimal"
          autoComplete="off"
          size={4}
          key={value}
          defaultValue={value}
          aria-invalid={problem === '' ? undefined : true}
          aria-describedby={problem === '' ? undefined : id}
          onBlur={({ target }) => apply(target.value)}
          onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
        />
        %
      </span>
      {problem !== '' && (
        <span className="field-problem" id={id} role="alert">
          {problem}
        </span>
      )}
    </label>
  );
}
