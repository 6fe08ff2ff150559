import type { ManagedCustomer } from '@tankwatch/client';
import { useState } from 'react';
import { formatPhones } from '../../../../src/values/phones.ts';
import { client } from '../api.ts';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useReadAgain } from '../change/read_again.ts';
import { useChange } from '../change/use_change.ts';
import { ChangeForm } from '../forms/change_form.tsx';
import { useDraft } from '../forms/draft.ts';
import { TextField, useFieldProblem } from '../forms/field.tsx';
import { FormButtons } from '../forms/form_buttons.tsx';
import { OpenedForm } from '../forms/opened_form.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { isEmail } from '../settings/contact_list.ts';
import { CATALOG_TEXTS } from '../translations/catalog.ts';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { PHONE_TEXTS } from '../translations/phones.ts';
import { ChangedMeanwhile, type StoredForm } from './changed_meanwhile.tsx';
import { filledPhones, PhoneRows, phonesIn } from './phone_rows.tsx';
import { SimilarCustomers } from './similar_customers.tsx';
import '../styles/forms.css';
import '../styles/catalog.css';

const TEXT_FIELDS = ['name', 'external_key', 'email'] as const;
const FIELDS = [...TEXT_FIELDS, 'phones'] as const;
type FieldName = (typeof FIELDS)[number];

const valuesOf = (customer: ManagedCustomer | null): Record<FieldName, string> => ({
  name: customer?.name ?? '',
  external_key: customer?.external_key ?? '',
  email: customer?.email ?? '',
  phones: JSON.stringify(customer?.phones ?? []),
});

async function readStored(id: string, signal?: AbortSignal): Promise<StoredForm<FieldName> | null> {
  const stored = await client.manage.customers.retrieve(id, signal === undefined ? {} : { signal });
  return 'deleted' in stored ? null : { values: valuesOf(stored), etag: stored.etag, updatedAt: stored.updated_at };
}

interface CustomerFormProps {
  /** Null for a new customer. */
  customer: ManagedCustomer | null;
  /** The name of the draft. `useOpenForm` gets the same one. */
  draftOf: string;
  onSaved?: (saved: ManagedCustomer) => void;
  onClose: () => void;
}

/** Adds a customer, or changes what is stored about one. */
export function CustomerForm({ customer, draftOf, onSaved, onClose }: CustomerFormProps) {
  const changeTexts = useTexts(CHANGE_TEXTS);
  const texts = useTexts(CATALOG_TEXTS);
  const phoneTexts = useTexts(PHONE_TEXTS);
  const fieldProblem = useFieldProblem();
  const draft = useDraft(draftOf, { values: valuesOf(customer), etag: customer?.etag ?? null });
  const { values, changed } = draft;
  const [isSubmitted, setSubmitted] = useState(false);
  const readAgain = useReadAgain(['customer'], ['customers'], ['tank']);
  const change = useChange<ManagedCustomer>((saved) => {
    readAgain();
    onClose();
    onSaved?.(saved);
  });
  const { state } = change;
  const phones = phonesIn(values.phones);
  const knownNumbers = new Set(customer?.phones.map(({ number }) => number));
  const newNumber = phones.find(({ number }) => number.trim() !== '' && !knownNumbers.has(number))?.number;
  const own: Partial<Record<FieldName, string>> = {
    ...(values.name.trim() === '' && { name: texts.nameMissing }),
    ...((customer === null || changed.includes('email')) &&
      !isEmail(values.email) && { email: changeTexts.fieldProblems.email }),
    ...(filledPhones(phones).some(({ number }) => number === '') && { phones: phoneTexts.numberMissing }),
  };
  const save = (etag: string | null): void => {
    const body = Object.fromEntries(
      (customer === null ? FIELDS : changed).map((field) => [
        field,
        field === 'phones' ? filledPhones(phones) : values[field].trim() || null,
      ]),
    );
    const label = texts.customerLabel(values.name.trim());
    if (customer === null) change.begin({ method: 'POST', path: '/customers', body, label, draft: draft.name });
    else if (etag !== null)
      change.begin({
        method: 'PATCH',
        path: `/customers/${customer.id}`,
        body,
        ifMatch: etag,
        label,
        draft: draft.name,
      });
  };
  const discard = (): void => {
    draft.forget();
    onClose();
  };
  const submit = (): void => {
    setSubmitted(true);
    if (Object.keys(own).length > 0) return;
    if (customer !== null && changed.length === 0) discard();
    else save(draft.etag);
  };
  const isKeyNew = changed.includes('external_key') && values.external_key.trim() !== '';
  const isEmailChanged = customer?.is_verified === true && changed.includes('email');
  return (
    <OpenedForm title={customer === null ? texts.newCustomer : texts.editCustomer(customer.name)} onClose={onClose}>
      {(headingId) => (
        <ChangeForm aria-labelledby={headingId} onSubmit={submit} noValidate>
          <fieldset disabled={change.isBusy}>
            <div className="form-grid pair">
              {TEXT_FIELDS.map((field) => (
                <TextField
                  key={field}
                  label={texts.customerFields[field]}
                  help={field === 'email' && isEmailChanged ? texts.emailUnverified : texts.customerHelp[field]}
                  problem={(isSubmitted ? own[field] : '') || fieldProblem(state, field)}
                  type={field === 'email' ? 'email' : 'text'}
                  autoComplete="off"
                  required={field === 'name' || field === 'email'}
                  value={values[field]}
                  onChange={(value) => draft.change({ [field]: value })}
                />
              ))}
            </div>
            <PhoneRows
              phones={phones}
              problem={(isSubmitted ? own.phones : '') || fieldProblem(state, 'phones')}
              onChange={(changedPhones) => draft.change({ phones: JSON.stringify(changedPhones) })}
            />
            <SimilarCustomers
              typed={{
                ...Object.fromEntries(
                  TEXT_FIELDS.filter((field) => changed.includes(field)).map((field) => [field, values[field]]),
                ),
                ...(newNumber !== undefined && { phone: newNumber }),
              }}
              exceptId={customer?.id}
            />
            <FormButtons
              change={change}
              submit={customer === null ? texts.addCustomer : changeTexts.save}
              onCancel={discard}
            />
          </fieldset>
          {state.kind === 'refused' && state.status === 412 && customer !== null && (
            <ChangedMeanwhile
              objectId={customer.id}
              draft={draft}
              labelOf={(field) => (field === 'phones' ? phoneTexts.number : texts.customerFields[field])}
              textOf={(field, value) => (field === 'phones' ? formatPhones(phonesIn(value)) : value)}
              read={(signal) => readStored(customer.id, signal)}
              onMine={save}
              onTheirs={() => {
                readAgain();
                discard();
              }}
            />
          )}
          <ChangeNotice
            change={change}
            fields={FIELDS}
            conflict={() => (isKeyNew ? texts.keyTaken : changeTexts.conflict)}
          />
        </ChangeForm>
      )}
    </OpenedForm>
  );
}
