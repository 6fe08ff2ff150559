import { type ReactNode, useEffect, useState } from 'react';
import { usePreferences } from '../preferences.tsx';
import { ACT_WORDS } from '../words/act_words.ts';
import { textOf } from './change.ts';
import { ChangedNotice, ChangeNotice } from './change_notice.tsx';
import type { Person, ReadPeople } from './people_list.ts';
import { type UsedChange, useChange } from './use_change.ts';

type Values = Partial<Pick<Person, 'roles' | 'types' | 'digestAt'>>;

interface ContactChangeOptions {
  person: Person;
  readAgain: ReadPeople;
  label: string;
  /** What a conflict means here. */
  conflict: string;
  /** What is stored now, after somebody else has changed it. */
  stored: string;
  /** What was done, in a sentence. */
  done: (wanted: Values) => string;
}

interface ContactChange {
  change: UsedChange;
  save: (wanted: Values) => void;
  /** Below the row: done with undo, somebody else was faster, or not saved. */
  notices: ReactNode;
}

/** A change of a contact by one click. It shows when the service has stored it, and can be undone. */
export function useContactChange(options: ContactChangeOptions): ContactChange {
  const { person, readAgain, label, conflict, stored, done } = options;
  const all = ACT_WORDS[usePreferences().language];
  const [sent, setSent] = useState<{ wanted: Values; before: Values } | null>(null);
  const change = useChange(() => void readAgain());
  const { state } = change;
  const isChanged = state.kind === 'refused' && state.status === 412;
  // What it is now.
  useEffect(() => {
    if (isChanged) void readAgain();
    // oxlint-disable-next-line react/exhaustive-deps -- once for each refusal
  }, [isChanged]);

  const save = (wanted: Values, etag = person.etag): void => {
    const { roles, types, digestAt } = wanted;
    const before = {
      ...(roles === undefined ? {} : { roles: person.roles }),
      ...(types === undefined ? {} : { types: person.types }),
      ...(digestAt === undefined ? {} : { digestAt: person.digestAt }),
    };
    setSent({ wanted, before });
    change.begin({
      method: 'PATCH',
      path: `/contacts/${person.id}`,
      body: { roles, types, digest_at: digestAt },
      ifMatch: etag,
      label,
    });
  };
  const keepMine = async (): Promise<void> => {
    const newest = (await readAgain())?.find(({ id }) => id === person.id);
    if (newest !== undefined && sent !== null) save(sent.wanted, newest.etag);
  };
  const notices = (
    <>
      {state.kind === 'saved' && sent !== null && (
        <p className="undo" role="status">
          {done(sent.wanted)}{' '}
          <button
            type="button"
            className="button small"
            onClick={() => save(sent.before, textOf(state.body, 'etag') ?? person.etag)}
          >
            {all.undo}
          </button>
        </p>
      )}
      {isChanged && (
        <ChangedNotice
          objectId={person.id}
          at={null}
          theirs={all.stored(stored)}
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
