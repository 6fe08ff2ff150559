import type { ContactReach } from '@tankwatch/client';
import { SelectField } from '../forms/field.tsx';
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
    <SelectField
      label={label}
      value={contactId ?? ''}
      disabled={isDisabled}
      options={[
        ['', texts.nobody],
        ...(isKnown ? [] : [[contactId, texts.removedPerson] as const]),
        ...people.map(({ contact_id: id, name }) => [id, name] as const),
      ]}
      onChange={(id) => onChange(id === '' ? null : id)}
    />
  );
}
