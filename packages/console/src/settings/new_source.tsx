import type { Connector } from '@tankwatch/client';
import { useState } from 'react';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { ChangeForm } from '../forms/change_form.tsx';
import { SelectField } from '../forms/field.tsx';
import { Button } from '../parts/button.tsx';
import { Panel } from '../parts/panel.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { SOURCE_TEXTS } from '../translations/sources.ts';
import { SourceFields } from './source_fields.tsx';
import { SOURCE_KINDS, type SourceKind } from './source_list.ts';
import { EMPTY_SOURCE, settingsOf } from './source_values.ts';

const DAYS = [1, 30, 365] as const;

/** Adds a source. The source is tested at once, and stays paused until somebody starts it. */
export function NewSource({ onAdded }: { onAdded: () => void }) {
  const changeTexts = useTexts(CHANGE_TEXTS);
  const texts = useTexts(SOURCE_TEXTS);
  const [kind, setKind] = useState<SourceKind>('otodata');
  const [values, setValues] = useState(EMPTY_SOURCE);
  const [days, setDays] = useState(30);
  const [isSubmitted, setSubmitted] = useState(false);
  const trial = useChange(onAdded);
  const change = useChange<Connector>(({ id, name }) => {
    setValues(EMPTY_SOURCE);
    setSubmitted(false);
    trial.begin({ method: 'POST', path: `/connectors/${id}/try`, body: {}, label: texts.tryOf(name) });
  });
  const submit = (): void => {
    setSubmitted(true);
    const settings = settingsOf(kind, values);
    const name = values.name.trim();
    if (name === '' || settings === null) return;
    const secret = values.secret === '' ? {} : { secret: values.secret };
    const body = { kind, name, settings, ...secret, days, paused: true };
    change.begin({ method: 'POST', path: '/connectors', body, label: name });
  };
  return (
    <Panel id="new-source" title={texts.add}>
      <ChangeForm aria-labelledby="new-source" onSubmit={submit} noValidate>
        <fieldset disabled={change.isBusy || trial.isBusy}>
          <ul className="source-kinds">
            {SOURCE_KINDS.map((name) => (
              <li key={name}>
                <label>
                  <input type="radio" name="kind" checked={kind === name} onChange={() => setKind(name)} />
                  <span>
                    <b>{texts.kinds[name]}</b>
                    <span className="meta">{texts.about[name]}</span>
                  </span>
                </label>
              </li>
            ))}
          </ul>
          <SourceFields kind={kind} values={values} onChange={setValues} isSubmitted={isSubmitted} hasSecret={false} />
          {(kind === 'otodata' || kind === 'json') && (
            <SelectField
              label={texts.from}
              value={days}
              options={DAYS.map((count) => [count, texts.lastDays(count)])}
              onChange={setDays}
            />
          )}
          <Button type="submit" className="primary">
            {change.state.kind === 'sending' ? changeTexts.saving : texts.addAndTry}
          </Button>
        </fieldset>
        <p className="meta">{texts.triedFirst}</p>
        <ChangeNotice change={change} conflict={() => texts.taken} />
        <ChangeNotice change={trial} />
      </ChangeForm>
    </Panel>
  );
}
