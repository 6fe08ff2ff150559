import type { ContactReach } from '@tankwatch/client';
import { useState } from 'react';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { useNow } from '../clock.ts';
import { ChangeForm, OpenedFields } from '../forms/change_form.tsx';
import { TextField } from '../forms/field.tsx';
import { FormButtons } from '../forms/form_buttons.tsx';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/marks.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { DUTY_TEXTS } from '../translations/duty.ts';

type ReachValues = Omit<ContactReach, 'object' | 'contact_id' | 'name' | 'verified_at' | 'last_text' | 'browsers'>;

const valuesOf = ({
  object: _object,
  contact_id: _id,
  name: _name,
  verified_at: _at,
  last_text: _text,
  browsers: _n,
  ...values
}: ContactReach): ReachValues => values;

const QUICK_CHANNELS = ['text', 'push'] as const;

interface ReachRowProps {
  person: ContactReach;
  sendsTexts: boolean;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  onSaved: () => void;
}

/** A person with channels, quiet hours and the last text. A check box changes after the service has stored it. */
export function ReachRow({ person, sendsTexts, isOpen, onOpen, onSaved }: ReachRowProps) {
  const texts = useTexts(DUTY_TEXTS);
  const { format } = usePreferences();
  const change = useChange(onSaved);
  const test = useChange(onSaved);
  const { contact_id: id, name, phone, verified_at: verifiedAt, quiet_from: from, quiet_to: to } = person;
  const path = `/contacts/${id}/reach`;
  const isUnverified = phone !== null && verifiedAt === null;
  // All refusals have the same code. The phone or the provider can have been removed since the page was read.
  const refusal = phone === null ? 'no_phone' : sendsTexts ? 'too_many_texts' : 'no_text_channel';
  const boxes = [
    ['by_text', texts.text, texts.textTo(name)],
    ['by_mail', texts.mail, texts.mailTo(name)],
    ['by_push', texts.push, texts.pushTo(name)],
  ] as const;
  return (
    <tbody>
      <tr>
        <th scope="row">
          <b>{name}</b>
          <span className="meta">
            {phone ?? texts.noPhone}
            {isUnverified && `, ${texts.notVerified}`}
            {person.browsers > 0 && `, ${texts.browsers(person.browsers)}`}
          </span>
        </th>
        {boxes.map(([field, label, aria]) => (
          <td key={field} className="tick" data-label={label}>
            <input
              type="checkbox"
              aria-label={aria}
              checked={person[field]}
              disabled={change.isBusy}
              onChange={({ target }) =>
                change.begin({
                  method: 'PUT',
                  path,
                  body: { ...valuesOf(person), [field]: target.checked },
                  label: aria,
                })
              }
            />
          </td>
        ))}
        <td data-label={texts.quiet}>
          {from === null || to === null ? texts.none : texts.range(format.clock(from), format.clock(to))}
        </td>
        <td data-label={texts.lastText}>
          <LastText person={person} />
        </td>
        <td className="reach-buttons">
          <Button
            className="small"
            aria-label={texts.changeReach(name)}
            aria-expanded={isOpen}
            onClick={() => onOpen(true)}
          >
            {texts.change}
          </Button>
          {sendsTexts && phone !== null && (
            <Button
              className="small"
              aria-label={isUnverified ? texts.sendCodeTo(name) : texts.sendTestTo(name)}
              disabled={test.isBusy}
              onClick={() => test.begin({ method: 'POST', path: `${path}/texts`, body: {}, label: name })}
            >
              {isUnverified ? texts.sendCode : texts.sendTest}
            </Button>
          )}
        </td>
      </tr>
      <tr className="notices">
        <td colSpan={7}>
          <ChangeNotice change={change} />
          <ChangeNotice change={test} conflict={() => texts.refusals[refusal]} />
          {isUnverified && sendsTexts && <CodeForm person={person} onSaved={onSaved} />}
          {isOpen && <ReachForm person={person} onSaved={onSaved} onClose={() => onOpen(false)} />}
        </td>
      </tr>
    </tbody>
  );
}

function LastText({ person: { last_text: last } }: { person: ContactReach }) {
  const texts = useTexts(DUTY_TEXTS);
  const { format } = usePreferences();
  const nowMs = useNow();
  if (last === null) return texts.never;
  const text = texts.stateAt(texts.states[last.status], format.recent(last.at, nowMs));
  if (last.status !== 'failed') return text;
  return (
    <strong>
      <Icon name="warning" /> {text}
    </strong>
  );
}

/** The form for the code that the person got in a text. After a wrong code the number stays unverified. */
function CodeForm({ person: { contact_id: id, name }, onSaved }: { person: ContactReach; onSaved: () => void }) {
  const texts = useTexts(DUTY_TEXTS);
  const [code, setCode] = useState('');
  const [isWrong, setWrong] = useState(false);
  const change = useChange<ContactReach>(({ verified_at: verifiedAt }) => {
    setWrong(verifiedAt === null);
    setCode('');
    onSaved();
  });
  const submit = (): void => {
    change.begin({
      method: 'POST',
      path: `/contacts/${id}/reach/verification`,
      body: { code },
      label: texts.correctOf(name),
    });
  };
  return (
    <ChangeForm className="act-form code-form" aria-label={`${texts.code}: ${name}`} onSubmit={submit}>
      <TextField
        label={texts.code}
        problem={isWrong ? texts.wrongCode : ''}
        className="short"
        inputMode="numeric"
        autoComplete="one-time-code"
        pattern="\d{6}"
        required
        value={code}
        onChange={(value) => setCode(value.trim())}
      />
      <Button type="submit" disabled={change.isBusy}>
        {texts.verify}
      </Button>
      <ChangeNotice change={change} conflict={() => texts.refusals.no_code} />
    </ChangeForm>
  );
}

interface ReachFormProps {
  person: ContactReach;
  onSaved: () => void;
  onClose: () => void;
}

function ReachForm({ person, onSaved, onClose }: ReachFormProps) {
  const texts = useTexts(DUTY_TEXTS);
  const [values, setValues] = useState(() => valuesOf(person));
  const [isSubmitted, setSubmitted] = useState(false);
  const change = useChange(() => {
    onSaved();
    onClose();
  });
  const phone = (values.phone ?? '').replaceAll(/[\s().-]/g, '');
  const isPhoneBad = phone !== '' && !/^\+[1-9]\d{6,14}$/.test(phone);
  const areTimesBad = (values.quiet_from === null) !== (values.quiet_to === null);
  const submit = (): void => {
    setSubmitted(true);
    if (isPhoneBad || areTimesBad) return;
    change.begin({
      method: 'PUT',
      path: `/contacts/${person.contact_id}/reach`,
      body: { ...values, phone: phone === '' ? null : phone },
      label: texts.changeReach(person.name),
    });
  };
  const time = (field: 'quiet_from' | 'quiet_to', label: string, problem = '') => (
    <TextField
      label={label}
      problem={problem}
      type="time"
      value={values[field] ?? ''}
      onChange={(value) => setValues({ ...values, [field]: value === '' ? null : value })}
    />
  );
  const channels = (field: 'low_by' | 'other_by', label: string) => (
    <fieldset className="quick-channels">
      <legend>{label}</legend>
      {QUICK_CHANNELS.map((channel) => (
        <label key={channel}>
          <input
            type="checkbox"
            checked={values[field].includes(channel)}
            onChange={({ target }) => {
              const others = values[field].filter((one) => one !== channel);
              setValues({ ...values, [field]: target.checked ? [...others, channel] : others });
            }}
          />
          {channel === 'text' ? texts.text : texts.push}
        </label>
      ))}
    </fieldset>
  );
  return (
    <OpenedFields onClose={onClose} aria-label={texts.changeReach(person.name)} onSubmit={submit} noValidate>
      <fieldset disabled={change.isBusy}>
        <div className="duty-fields">
          <TextField
            label={texts.phone}
            problem={isSubmitted && isPhoneBad ? texts.badPhone : ''}
            type="tel"
            autoComplete="off"
            value={values.phone ?? ''}
            onChange={(value) => setValues({ ...values, phone: value })}
          />
          {time('quiet_from', texts.quietFrom)}
          {time('quiet_to', texts.quietTo, isSubmitted && areTimesBad ? texts.bothTimes : '')}
        </div>
        {channels('low_by', texts.lowBy)}
        {channels('other_by', texts.otherBy)}
        <FormButtons change={change} onCancel={onClose} />
      </fieldset>
      <ChangeNotice change={change} conflict={() => texts.refusals.too_many_texts} />
    </OpenedFields>
  );
}
