import type { TextChannel } from '@tankwatch/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ComponentProps, useState } from 'react';
import { client } from '../api.ts';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { OpenedFields } from '../forms/change_form.tsx';
import { SelectField, TextField } from '../forms/field.tsx';
import { FormButtons } from '../forms/form_buttons.tsx';
import { FormProblem } from '../forms/form_problem.tsx';
import { RemovalForm } from '../forms/removal.tsx';
import { Button } from '../parts/button.tsx';
import { Panel } from '../parts/panel.tsx';
import { useFormat, useTexts } from '../preferences_and_words.tsx';
import { DUTY_TEXTS } from '../translations/duty.ts';

type Provider = TextChannel['provider'];
const PROVIDERS = ['twilio', 'vonage', 'messagebird', 'gateway'] as const satisfies readonly Provider[];
const KEY = ['manage', 'text-channel'];
const PATH = '/text-channel';

/** The provider through which texts are sent. */
export function TextProviderPanel({ sendsTexts, onSaved }: { sendsTexts: boolean; onSaved: () => void }) {
  const texts = useTexts(DUTY_TEXTS);
  const format = useFormat();
  const cache = useQueryClient();
  const [opened, setOpened] = useState<'form' | 'removal' | null>(null);
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => client.manage.duty.textChannel({ signal }),
    enabled: sendsTexts,
  });
  const saved = (): void => {
    setOpened(null);
    onSaved();
    void cache.invalidateQueries({ queryKey: KEY });
  };
  const removal = useChange(saved);
  return (
    <Panel
      id="text-provider"
      title={texts.channel}
      action={
        <Button aria-expanded={opened === 'form'} onClick={() => setOpened('form')}>
          {sendsTexts ? texts.change : texts.setUp}
        </Button>
      }
    >
      {!sendsTexts && <p>{texts.noChannel}</p>}
      {sendsTexts && data !== undefined && (
        <p>
          {texts.through(texts.providers[data.provider], data.from)}{' '}
          {texts.used(format.count(data.used_today), format.count(data.daily_limit))}{' '}
          <Button className="small" onClick={() => setOpened('removal')}>
            {texts.stopTexts}
          </Button>
        </p>
      )}
      {opened === 'form' && (!sendsTexts || data !== undefined) && (
        <ProviderForm stored={sendsTexts ? data : undefined} onSaved={saved} onClose={() => setOpened(null)} />
      )}
      {opened === 'removal' && data !== undefined && (
        <RemovalForm
          name={texts.providers[data.provider]}
          consequence={texts.textsEnd}
          change={removal}
          conflict=""
          onConfirm={() => removal.begin({ method: 'DELETE', path: PATH, label: texts.stopTexts })}
          onCancel={() => setOpened(null)}
        />
      )}
    </Panel>
  );
}

interface ProviderFormProps {
  stored: TextChannel | undefined;
  onSaved: () => void;
  onClose: () => void;
}

/** A person always types the secret again, so that a stored secret is never sent to a changed address. */
function ProviderForm({ stored, onSaved, onClose }: ProviderFormProps) {
  const texts = useTexts(DUTY_TEXTS);
  const [provider, setProvider] = useState<Provider>(stored?.provider ?? 'twilio');
  const change = useChange(onSaved);
  const submit = (form: HTMLFormElement): void => {
    const typed = [...new FormData(form)].filter(([, value]) => value !== '');
    const { daily_limit: limit, ...values } = Object.fromEntries(typed);
    change.begin({
      method: 'PUT',
      path: PATH,
      body: { ...values, ...(limit !== undefined && { daily_limit: Number(limit) }) },
      label: texts.channel,
    });
  };
  const field = (name: string, label: string, attributes: Partial<ComponentProps<typeof TextField>>) => (
    <TextField
      label={label}
      help={name === 'secret' ? texts.secretHelp : ''}
      name={name}
      autoComplete="off"
      required
      {...attributes}
    />
  );
  const isInvalid = change.state.kind === 'refused' && change.state.status === 422;
  return (
    <OpenedFields onClose={onClose} aria-labelledby="text-provider" onSubmit={submit}>
      <fieldset disabled={change.isBusy}>
        <div className="duty-fields">
          <SelectField
            label={texts.provider}
            name="provider"
            value={provider}
            options={PROVIDERS.map((name) => [name, texts.providers[name]])}
            onChange={setProvider}
          />
          {field('from', texts.sender, { defaultValue: stored?.from ?? '', maxLength: 20 })}
          {(provider === 'twilio' || provider === 'vonage') &&
            field('account', texts.account[provider], { defaultValue: stored?.account ?? '', maxLength: 64 })}
          {provider === 'gateway' &&
            field('url', texts.address, { defaultValue: stored?.url ?? '', maxLength: 2_000, type: 'url' })}
          {field('secret', texts.secret[provider], { type: 'password', maxLength: 500, autoComplete: 'new-password' })}
          {provider === 'messagebird' &&
            field('signing_key', texts.signingKey, { type: 'password', maxLength: 500, required: false })}
          {field('daily_limit', texts.dailyLimit, {
            type: 'number',
            min: 1,
            max: 100_000,
            defaultValue: stored?.daily_limit ?? 200,
          })}
        </div>
        <FormButtons change={change} onCancel={onClose} />
      </fieldset>
      {isInvalid ? <FormProblem>{texts.badChannel}</FormProblem> : <ChangeNotice change={change} />}
    </OpenedFields>
  );
}
