import type { Connector } from '@tankwatch/client';
import { useState } from 'react';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { OpenedFields } from '../forms/change_form.tsx';
import { FormButtons } from '../forms/form_buttons.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { SOURCE_TEXTS } from '../translations/sources.ts';
import { SourceFields } from './source_fields.tsx';
import { settingsOf, valuesOf } from './source_values.ts';

interface SourceChangeProps {
  source: Connector;
  onClose: () => void;
  onSaved: () => void;
}

/** Changes the name, the settings or the key of a source. */
export function SourceChange({ source, onClose, onSaved }: SourceChangeProps) {
  const texts = useTexts(SOURCE_TEXTS);
  const { id, kind, name, etag, has_secret: hasSecret } = source;
  const [values, setValues] = useState(() => valuesOf(source));
  const [isSubmitted, setSubmitted] = useState(false);
  const change = useChange(() => {
    onSaved();
    onClose();
  });
  const submit = (): void => {
    setSubmitted(true);
    const settings = settingsOf(kind, values);
    const newName = values.name.trim();
    if (newName === '' || settings === null) return;
    const secret = values.secret === '' ? {} : { secret: values.secret };
    const body = { kind, name: newName, settings, ...secret };
    change.begin({ method: 'PATCH', path: `/connectors/${id}`, body, ifMatch: etag, label: name });
  };
  return (
    <OpenedFields onClose={onClose} aria-label={texts.changeOf(name)} onSubmit={submit} noValidate>
      <fieldset disabled={change.isBusy}>
        <SourceFields
          kind={kind}
          values={values}
          onChange={setValues}
          isSubmitted={isSubmitted}
          hasSecret={hasSecret}
        />
        <FormButtons change={change} onCancel={onClose} />
      </fieldset>
      <ChangeNotice change={change} conflict={() => texts.taken} changed={texts.changed} />
    </OpenedFields>
  );
}
