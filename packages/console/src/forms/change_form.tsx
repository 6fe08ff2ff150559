import type { ComponentProps } from 'react';
import { useOpenedForm } from './opened_form.tsx';

interface ChangeFormProps extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  /** Gets the form, because some forms keep their values in their fields. */
  onSubmit: (form: HTMLFormElement) => void;
}

/** A form that changes something without leaving the page. */
export const ChangeForm = ({ className = 'act-form', onSubmit, ...attributes }: ChangeFormProps) => (
  <form
    {...attributes}
    className={className}
    onSubmit={(event) => {
      event.preventDefault();
      onSubmit(event.currentTarget);
    }}
  />
);

/** A form that a button has opened inside a panel. */
export const OpenedFields = ({ onClose, ...form }: ChangeFormProps & { onClose: () => void }) => (
  <ChangeForm {...useOpenedForm<HTMLFormElement>(onClose)} {...form} />
);
