import type { NewContact as ContactBody } from '@tankwatch/client';
import { type ReactNode, useState } from 'react';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { ChangeForm } from '../forms/change_form.tsx';
import { TextField, useFieldProblem } from '../forms/field.tsx';
import { Button } from '../parts/button.tsx';
import { Panel } from '../parts/panel.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { PEOPLE_TEXTS } from '../translations/people.ts';
import { isEmail, nameOfContact } from './contact_list.ts';

interface NewContactProps {
  /** The id of the heading. */
  id: string;
  texts: { title: string; send: string; added: (who: string) => string; label: (email: string) => string };
  /** The fields of the request that say which mails the contact gets and what it may do. */
  values: Omit<ContactBody, 'email' | 'name'>;
  onAdded: () => void;
  /** The fields of the form for `values`. */
  children: (problemOf: (param: string) => string) => ReactNode;
}

/** A form that adds a contact by its address. */
export function NewContact({ id, texts, values, onAdded, children }: NewContactProps) {
  const changeTexts = useTexts(CHANGE_TEXTS);
  const people = useTexts(PEOPLE_TEXTS);
  const fieldProblem = useFieldProblem();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [isSubmitted, setSubmitted] = useState(false);
  const [added, setAdded] = useState('');
  const person = { email: email.trim(), name: name.trim() === '' ? null : name.trim() };
  const change = useChange(() => {
    setAdded(nameOfContact(person));
    setName('');
    setEmail('');
    setSubmitted(false);
    onAdded();
  });
  const problemOf = (param: string): string => fieldProblem(change.state, param);
  const submit = (): void => {
    setSubmitted(true);
    setAdded('');
    if (!isEmail(email)) return;
    change.begin({
      method: 'POST',
      path: '/contacts',
      body: { ...person, ...values } satisfies ContactBody,
      label: texts.label(person.email),
    });
  };
  return (
    <Panel id={id} title={texts.title} className="new-contact">
      <ChangeForm aria-labelledby={id} onSubmit={submit} noValidate>
        <fieldset disabled={change.isBusy}>
          <TextField
            label={people.email}
            problem={isSubmitted && !isEmail(email) ? changeTexts.fieldProblems.email : problemOf('email')}
            type="email"
            value={email}
            onChange={setEmail}
          />
          <TextField label={people.name} problem={problemOf('name')} value={name} onChange={setName} />
          {children(problemOf)}
          <Button type="submit" className="primary">
            {change.state.kind === 'sending' ? changeTexts.saving : texts.send}
          </Button>
        </fieldset>
        <ChangeNotice
          change={change}
          fields={['email', 'name', ...Object.keys(values)]}
          conflict={({ conflictingId }) => (conflictingId === null ? people.tooMany : people.emailTaken)}
        />
        <p role="status" className="undo">
          {added !== '' && texts.added(added)}
        </p>
      </ChangeForm>
    </Panel>
  );
}
