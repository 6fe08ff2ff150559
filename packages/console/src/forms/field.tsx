import { type InputHTMLAttributes, type ReactNode, useId } from 'react';
import type { ChangeState } from '../change/use_change.ts';
import { useTexts } from '../preferences_and_words.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { Select, type SelectProps } from './select.tsx';

export interface FieldAttributes {
  id: string;
  'aria-invalid': boolean | undefined;
  'aria-describedby': string | undefined;
}

interface FieldLabels {
  label: string;
  /** The text of the error. Empty if there is none. */
  problem?: string;
  help?: string;
}

interface FieldProps extends FieldLabels {
  children: (attributes: FieldAttributes) => ReactNode;
}

/** A labeled field with its error beside it. */
export function Field({ label, problem = '', help = '', children }: FieldProps) {
  const id = useId();
  const described = [problem === '' ? '' : `${id}-problem`, help === '' ? '' : `${id}-help`].filter(Boolean).join(' ');
  return (
    <div className={problem === '' ? 'act-field' : 'act-field bad'}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-invalid': problem === '' ? undefined : true,
        'aria-describedby': described === '' ? undefined : described,
      })}
      {help !== '' && (
        <span className="meta" id={`${id}-help`}>
          {help}
        </span>
      )}
      {problem !== '' && (
        <span className="field-problem" id={`${id}-problem`} role="alert">
          {problem}
        </span>
      )}
    </div>
  );
}

interface TextFieldProps extends FieldLabels, Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange'> {
  onChange?: (value: string) => void;
}

/** A labeled field for something that is typed: a text, a number or a time. */
export const TextField = ({ label, problem = '', help = '', onChange, ...input }: TextFieldProps) => (
  <Field label={label} problem={problem} help={help}>
    {(attributes) => (
      <input type="text" {...attributes} {...input} onChange={({ target }) => onChange?.(target.value)} />
    )}
  </Field>
);

/** A labeled choice of one of several options. */
export const SelectField = <Value extends string | number>({
  label,
  problem = '',
  help = '',
  ...select
}: FieldLabels & SelectProps<Value>) => (
  <Field label={label} problem={problem} help={help}>
    {(attributes) => <Select {...attributes} {...select} />}
  </Field>
);

/** The error that the service reported for a field or an item of it, such as phones[0], in the language of the page. Empty if there is none. */
export function useFieldProblem(): (state: ChangeState, param: string) => string {
  const { fieldProblems, fieldProblem } = useTexts(CHANGE_TEXTS);
  const known: Readonly<Record<string, string>> = fieldProblems;
  return (state, param) =>
    state.kind === 'refused' &&
    state.errors.some((error) => error.param === param || error.param.startsWith(`${param}[`))
      ? (known[param] ?? fieldProblem)
      : '';
}
