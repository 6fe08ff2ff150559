import type { ContactReach } from '@tankwatch/client';
import { Field } from '../forms/field.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { DUTY_TEXTS } from '../translations/duty.ts';

interface PersonSelectProps {
  label: string;
  people: readonly ContactReach[];
  contactId: string | null;
  onChange: (contactId: string | null) => void;
  isDisabled?: boolean;
}

/** The choice of a person of the organization, or of nobody. */
export function PersonSelect({ label, people, contactId, onChange, isDisabled = false }: PersonSelectProps) {
  const texts = useTexts(DUTY_TEXTS);
  const isKnown = contactId === null || people.some(({ contact_id: id }) => id === contactId);
  return (
    <Field label={label}>
      {(attributes) => (
        <select
          {...attributes}
          value={contactId ?? ''}
          disabled={isDisabled}
          onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
        >
          <option value="">{texts.nobody}</option>
          {!isKnown && <option value={contactId}>{texts.removedPerson}</option>}
          {people.map(({ contact_id: id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
