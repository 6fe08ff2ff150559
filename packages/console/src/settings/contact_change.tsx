import type { Contact, ContactPatch } from '@tankwatch/client';
import { type ReactNode, useState } from 'react';
import { ChangedNotice, ChangeNotice } from '../change/change_notice.tsx';
import { type UsedChange, useChange } from '../change/use_change.ts';
import { Button } from '../parts/button.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';
import type { ReadContacts } from './contact_list.ts';

type Values = Pick<ContactPatch, 'roles' | 'types' | 'digest_at' | 'language'>;

interface ContactChangeOptions {
  contact: Contact;
  readAgain: ReadContacts;
  label: string;
  /** The text for a conflict. */
  conflict: string;
  /** The stored value, shown if somebody else has changed it. */
  stored: string;
  /** A sentence about the saved change. */
  done: (wanted: Values) => string;
}

interface ContactChange {
  change: UsedChange;
  save: (wanted: Values) => void;
  /** Shown below the row: saved with undo, changed by somebody else, or not saved. */
  notices: ReactNode;
}

/** Changes a contact with one click. The page shows the change after it was stored, with a button to undo it. */
export function useContactChange(options: ContactChangeOptions): ContactChange {
  const { contact, readAgain, label, conflict, stored, done } = options;
  const changeTexts = useTexts(CHANGE_TEXTS);
  const [sent, setSent] = useState<{ wanted: Values; before: Values } | null>(null);
  // After a refusal, the contacts are read again, so that the page shows the stored value.
  const change = useChange<Contact>(
    () => void readAgain(),
    ({ status }) => status === 412 && void readAgain(),
  );
  const { state } = change;
  const isChanged = state.kind === 'refused' && state.status === 412;

  const save = (wanted: Values, etag = contact.etag): void => {
    const before = {
      ...(wanted.roles === undefined ? {} : { roles: contact.roles }),
      ...(wanted.types === undefined ? {} : { types: contact.types }),
      ...(wanted.digest_at === undefined ? {} : { digest_at: contact.digest_at }),
      ...(wanted.language === undefined ? {} : { language: contact.language }),
    };
    setSent({ wanted, before });
    change.begin({
      method: 'PATCH',
      path: `/contacts/${contact.id}`,
      body: wanted,
      ifMatch: etag,
      label,
    });
  };
  const keepMine = async (): Promise<void> => {
    const newest = (await readAgain())?.find(({ id }) => id === contact.id);
    if (newest !== undefined && sent !== null) save(sent.wanted, newest.etag);
  };
  const notices = (
    <>
      {state.kind === 'saved' && sent !== null && (
        <p className="undo" role="status">
          {done(sent.wanted)}{' '}
          <Button className="small" onClick={() => save(sent.before, state.body.etag)}>
            {changeTexts.undo}
          </Button>
        </p>
      )}
      {isChanged && (
        <ChangedNotice
          objectId={contact.id}
          at={null}
          theirs={changeTexts.stored(stored)}
          onMine={() => void keepMine()}
          onTheirs={() => {
            change.reset();
            void readAgain();
          }}
        />
      )}
      <ChangeNotice change={change} conflict={() => conflict} />
    </>
  );
  return { change, save, notices };
}
