import { EVENT_TYPES } from '@tankwatch/client';
import { useState } from 'react';
import { Picks } from '../forms/picks.tsx';
import { usePreferences, useTexts } from '../preferences.tsx';
import { WEBHOOK_TEXTS } from '../translations/webhooks.ts';
import type { WebhookType } from './webhook_list.ts';

interface TypePicksProps {
  /** Empty: all. */
  types: readonly WebhookType[];
  onChange: (types: readonly WebhookType[]) => void;
}

/** All events, also those of later releases, or some of them. */
export function TypePicks({ types, onChange }: TypePicksProps) {
  const { words } = usePreferences();
  const texts = useTexts(WEBHOOK_TEXTS);
  const [areAll, setAll] = useState(types.length === 0);
  return (
    <fieldset>
      <legend>{texts.types}</legend>
      <div className="picks">
        <label>
          <input
            type="radio"
            checked={areAll}
            onChange={() => {
              setAll(true);
              onChange([]);
            }}
          />
          <span>{texts.allTypes}</span>
        </label>
        <label>
          <input type="radio" checked={!areAll} onChange={() => setAll(false)} />
          <span>{texts.someTypes}</span>
        </label>
      </div>
      {!areAll && (
        <Picks options={EVENT_TYPES} chosen={types} textOf={(type) => words.events[type]} onChange={onChange} />
      )}
    </fieldset>
  );
}
