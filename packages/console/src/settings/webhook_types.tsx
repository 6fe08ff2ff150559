import { EVENT_TYPES } from '@tankwatch/client';
import { useState } from 'react';
import { Picks } from '../forms/picks.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { WEBHOOK_TEXTS } from '../translations/webhooks.ts';
import type { WebhookType } from './webhook_list.ts';

interface TypePicksProps {
  /** An empty list stands for all events. */
  types: readonly WebhookType[];
  onChange: (types: readonly WebhookType[]) => void;
}

/** The types of changes. They are sent only to a webhook that names them. */
const CHANGES = [
  'customer.changed',
  'tank.changed',
  'round.changed',
  'stop.changed',
  'delivery_note.changed',
  'verdict.changed',
] as const satisfies readonly WebhookType[];

/** The name of a type of message. */
export function useTypeText(): (type: WebhookType) => string {
  const { words } = usePreferences();
  const { changes } = useTexts(WEBHOOK_TEXTS);
  const texts: Readonly<Record<WebhookType, string>> = { ...words.events, ...changes };
  return (type) => texts[type];
}

/** The choice between all events, including those of later releases, and some types. */
export function TypePicks({ types, onChange }: TypePicksProps) {
  const texts = useTexts(WEBHOOK_TEXTS);
  const textOf = useTypeText();
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
      {!areAll && <Picks options={[...EVENT_TYPES, ...CHANGES]} chosen={types} textOf={textOf} onChange={onChange} />}
    </fieldset>
  );
}
