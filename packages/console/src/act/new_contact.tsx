import { type FormEvent, type ReactNode, useState } from 'react';
import { usePreferences } from '../preferences.tsx';
import { ACT_WORDS } from '../words/act_words.ts';
import { ChangeNotice } from './change_notice.tsx';
import { Field, useFieldProblem } from './field.tsx';
import { isEmail, nameOfPerson } from './people_list.ts';
import { useChange } from './use_change.ts';

interface NewContactProps {
  /** Of the heading. */
  id: string;
  texts: { title: string; send: string; added: (who: string) => string; label: (email: string) => string };
  /** What the contact gets and may do, as it is sent. */
  values: Readonly<Record<string, unknown>>;
  onAdded: () => void;
  /** The fields of these values. */
  children: (problemOf: (param: string) => string) => ReactNode;
}

/** A form that adds a contact by its address. */
export function NewContact({ id, texts, values, onAdded, children }: NewContactProps) {
  const all = ACT_WORDS[usePreferences().language];
  const fieldProblem = useFieldProblem();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [isTried, setTried] = useState(false);
  const [added, setAdded] = useState('');
  const person = { email: email.trim(), name: name.trim() === '' ? null : name.trim() };
  const change = useChange(() => {
    setAdded(nameOfPerson(person));
    setName('');
    setEmail('');
    setTried(false);
    onAdded();
  });
  const problemOf = (param: string): string => fieldProblem(change.state, param);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    setAdded('');
    if (!isEmail(email)) return;
    change.begin({
      method: 'POST',
      path: '/contacts',
      body: { ...person, ...values },
      label: texts.label(person.email),
    });
  };
  return (
    <section className="panel new-contact" aria-labelledby={id}>
      <h2 id={id}>{texts.title}</h2>
      <form className="act-form" aria-labelledby={id} onSubmit={submit} noValidate>
        <fieldset disabled={change.isBusy}>
          <Field
            label={all.people.email}
            problem={isTried && !isEmail(email) ? all.fieldProblems.email : problemOf('email')}
          >
            {(attributes) => (
              <input {...attributes} type="email" value={email} onChange={({ target }) => setEmail(target.value)} />
            )}
          </Field>
          <Field label={all.people.name} problem={problemOf('name')}>
            {(attributes) => (
              <input {...attributes} type="text" value={name} onChange={({ target }) => setName(target.value)} />
            )}
          </Field>
          {children(problemOf)}
          <button type="submit" className="button primary">
            {change.state.kind === 'sending' ? all.saving : texts.send}
          </button>
        </fieldset>
        <ChangeNotice
          change={change}
          fields={['email', 'name', ...Object.keys(values)]}
          conflict={() => all.people.exists}
        />
        <p role="status" className="undo">
          {added !== '' && texts.added(added)}
        </p>
      </form>
    </section>
  );
}
