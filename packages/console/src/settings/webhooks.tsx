import type { WebhookWithSecret } from '@tankwatch/client';
import { useState } from 'react';
import type { Session } from '../api.ts';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { ChangeForm } from '../forms/change_form.tsx';
import { TextField, useFieldProblem } from '../forms/field.tsx';
import { Button } from '../parts/button.tsx';
import { Panel } from '../parts/panel.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { WEBHOOK_TEXTS } from '../translations/webhooks.ts';
import { canManage, ManagedPage } from './managed_page.tsx';
import { hostOf, useWebhooks, type WebhookType } from './webhook_list.ts';
import { WebhookPanel } from './webhook_panel.tsx';
import { type NewSecret, SecretOnce } from './webhook_secret.tsx';
import { TypePicks } from './webhook_types.tsx';

/** Programs that receive events. */
export function WebhooksPage({ session }: { session: Session }) {
  const texts = useTexts(WEBHOOK_TEXTS);
  const canChange = canManage(session);
  const { readAgain, ...list } = useWebhooks({ isEnabled: canChange });
  const [secret, setSecret] = useState<NewSecret | null>(null);
  return (
    <ManagedPage
      page="webhooks"
      canChange={canChange}
      list={list}
      intro={texts.intro}
      none={texts.none}
      item={(webhook) => <WebhookPanel key={webhook.id} webhook={webhook} readAgain={readAgain} onSecret={setSecret} />}
    >
      {secret !== null && <SecretOnce secret={secret} onStored={() => setSecret(null)} />}
      <NewWebhook
        onAdded={(added) => {
          setSecret(added);
          void readAgain();
        }}
      />
    </ManagedPage>
  );
}

/** Whether a text is an HTTP URL. The service checks whether it can send messages to the URL. */
const isUrl = (text: string): boolean => /^https?:$/.test(URL.parse(text.trim())?.protocol ?? '');

function NewWebhook({ onAdded }: { onAdded: (secret: NewSecret) => void }) {
  const changeTexts = useTexts(CHANGE_TEXTS);
  const texts = useTexts(WEBHOOK_TEXTS);
  const fieldProblem = useFieldProblem();
  const [url, setUrl] = useState('');
  const [types, setTypes] = useState<readonly WebhookType[]>([]);
  const [isSubmitted, setSubmitted] = useState(false);
  const change = useChange<WebhookWithSecret>(({ secret }) => {
    onAdded({ host: hostOf(url.trim()), text: secret ?? '', previousUntil: null });
    setUrl('');
    setTypes([]);
    setSubmitted(false);
  });
  const submit = (): void => {
    setSubmitted(true);
    if (!isUrl(url)) return;
    const label = texts.label(hostOf(url.trim()));
    change.begin({ method: 'POST', path: '/webhooks', body: { url: url.trim(), types }, label });
  };
  return (
    <Panel id="new-webhook" title={texts.add}>
      <ChangeForm aria-labelledby="new-webhook" onSubmit={submit} noValidate>
        <fieldset disabled={change.isBusy}>
          <TextField
            label={texts.url}
            problem={isSubmitted && !isUrl(url) ? texts.noUrl : fieldProblem(change.state, 'url') && texts.badUrl}
            type="url"
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            value={url}
            onChange={setUrl}
          />
          <TypePicks types={types} onChange={setTypes} />
          <Button type="submit" className="primary">
            {change.state.kind === 'sending' ? changeTexts.saving : texts.send}
          </Button>
        </fieldset>
        <ChangeNotice change={change} fields={['url', 'types']} conflict={() => texts.tooMany} />
      </ChangeForm>
    </Panel>
  );
}
