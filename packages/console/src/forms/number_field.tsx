import { useId, useState } from 'react';
import { useTypedNumbers } from './typed_number.ts';

interface NumberFieldProps {
  label: string;
  unit: '%';
  value: number;
  /** Gets digits with a decimal point. */
  onChange: (value: string) => void;
}

/** A field for a percentage, which is applied when the field loses the focus. Other texts are not applied. */
export function NumberField({ label, unit, value, onChange }: NumberFieldProps) {
  const numbers = useTypedNumbers();
  const id = useId();
  const [problem, setProblem] = useState('');
  const leave = (text: string): void => {
    const typed = numbers.percentage(text);
    setProblem('problem' in typed ? typed.problem : '');
    if ('value' in typed && typed.value !== value) onChange(String(typed.value));
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
          onBlur={({ target }) => leave(target.value)}
          onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
        />
        {unit}
      </span>
      {problem !== '' && (
        <span className="field-problem" id={id} role="alert">
          {problem}
        </span>
      )}
    </label>
  );
}
