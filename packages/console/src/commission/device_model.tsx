import type { KnownDevice } from '@tankwatch/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../api.ts';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useReadAgain } from '../change/read_again.ts';
import { useChange } from '../change/use_change.ts';
import { useNow } from '../clock.ts';
import { SelectField } from '../forms/field.tsx';
import { Button } from '../parts/button.tsx';
import { ProblemNotice } from '../parts/problem.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { GAUGE_TEXTS } from '../translations/gauges.ts';

export const deviceQuery = (deviceId: string) =>
  queryOptions({
    queryKey: ['manage', 'device', deviceId],
    queryFn: ({ signal }) => client.manage.devices.retrieve(deviceId, { signal }),
    // The service knows nothing about a placeholder.
    enabled: deviceId !== '' && !deviceId.startsWith('pending-'),
  });

interface DeviceModelProps {
  device: KnownDevice;
  tankId: string;
  /** Called when an input of the device was chosen, with the device id of the input. */
  onInput: (deviceId: string) => void;
}

/** What is known of the scanned or typed device, and a button to choose another model. */
export function DeviceModel({ device, tankId, onInput }: DeviceModelProps) {
  const { format } = usePreferences();
  const texts = useTexts(GAUGE_TEXTS).model;
  const nowMs = useNow();
  const { device_id: id, maker, model, recognized_by: by, measures, reports_level, heard_at, channels } = device;
  const [isChoosing, setChoosing] = useState(false);
  const place =
    device.tank_id === null ? texts.onNoTank : device.tank_id === tankId ? texts.onThisTank : texts.onOtherTank;
  const sends = [
    ...measures.map((kind) => texts.sends[kind]),
    ...(reports_level ? [texts.sendsLevel] : []),
    ...(measures.length === 0 && !reports_level ? [texts.unknownHelp] : []),
  ];
  return (
    <div className="notice found" role="status">
      <p>
        <b>{id}</b>
        <br />
        <span className="meta">
          {place} {heard_at === null ? texts.neverHeard : texts.heard(format.ago(nowMs - Date.parse(heard_at)))}
        </span>
      </p>
      <p>
        <b>{model === null ? texts.unknown : [maker, model].filter(Boolean).join(' ')}</b>
        <br />
        <span className="meta">
          {by !== null && (by === 'assignment' ? texts.byAssignment : texts.byMessages)} {sends.join(' ')}
        </span>
      </p>
      {isChoosing ? (
        <ModelChoice deviceId={id} onDone={() => setChoosing(false)} />
      ) : (
        <button type="button" className="link" onClick={() => setChoosing(true)}>
          {model === null ? texts.choose : texts.another}
        </button>
      )}
      {channels.length > 0 && !id.includes('#') && (
        <fieldset>
          <legend>{texts.input}</legend>
          <div className="tile-row">
            {channels.map((n) => (
              <Button key={n} onClick={() => onInput(`${id}#${n}`)}>
                {texts.inputOf(n)}
              </Button>
            ))}
          </div>
        </fieldset>
      )}
    </div>
  );
}

/** Assigns a profile to this one device. */
function ModelChoice({ deviceId, onDone }: { deviceId: string; onDone: () => void }) {
  const texts = useTexts(GAUGE_TEXTS).model;
  const readAgain = useReadAgain(['manage', 'device']);
  const [profile, setProfile] = useState('');
  const { data, error, refetch } = useQuery({
    queryKey: ['manage', 'gauge-profiles'],
    queryFn: ({ signal }) => client.manage.gauges.profiles({ signal }),
  });
  const change = useChange(() => {
    readAgain();
    onDone();
  });
  const [base = ''] = deviceId.split('#');
  const save = (): void =>
    change.begin({
      method: 'PUT',
      path: `/profile-assignments/${encodeURIComponent(`device=${base}`)}`,
      body: { profile },
      label: texts.label(base),
    });
  if (error !== null) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  const models = data?.data ?? [];
  return (
    <>
      <SelectField
        label={texts.choose}
        value={profile}
        options={[['', '…'], ...models.map((one) => [one.profile, `${one.maker} ${one.device}`] as const)]}
        onChange={setProfile}
      />
      <Button disabled={profile === '' || change.isBusy} onClick={save}>
        {texts.save}
      </Button>
      <ChangeNotice change={change} />
    </>
  );
}
