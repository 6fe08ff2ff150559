import { EVENT_TYPES } from '@tankwatch/client';
import { useState } from 'react';
import { usePreferences } from '../preferences.tsx';
import { MANAGE_WORDS } from '../words/manage_words.ts';
import type { WebhookType } from './webhook_list.ts';

interface TypePicksProps {
  /** Empty: all. */
  types: readonly WebhookType[];
  onChange: (types: readonly WebhookType[]) => void;
}

/** All events, also those of later releases, or some of them. */
export function TypePicks({ types, onChange }: TypePicksProps) {
  const { language, words } = usePreferences();
  const texts = MANAGE_WORDS[language].webhooks;
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
        <div className="picks">
          {EVENT_TYPES.map((type) => (
            <label key={type}>
              <input
                type="checkbox"
                checked={types.includes(type)}
                onChange={({ target }) =>
                  onChange(EVENT_TYPES.filter((one) => (one === type ? target.checked : types.includes(one))))
                }
              />
              <span>{words.events[type]}</span>
            </label>
          ))}
        </div>
      )}
    </fieldset>
  );
}
