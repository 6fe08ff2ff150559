import type { KnownDevice, ManagedTank, TankStatus } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { isManualDevice } from '../../../../src/values/manual_device.ts';
import { useTyped } from '../catalog/typed.ts';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { ChangeForm } from '../forms/change_form.tsx';
import { TextField, useFieldProblem } from '../forms/field.tsx';
import { Button } from '../parts/button.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { nameOf } from '../status.ts';
import { tankQuery } from '../tank_query.ts';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { COMMISSION_TEXTS } from '../translations/commission.ts';
import { useUrlState } from '../url_state.ts';
import { deviceInCode } from './device_code.ts';
import { DeviceModel, deviceQuery } from './device_model.tsx';
import { Scanner } from './scanner.tsx';

interface DeviceFormProps {
  status: TankStatus;
  /** Gets what is known of the typed device. Undefined if nothing is known yet. */
  onKnown: (known: KnownDevice | undefined) => void;
  /** Gets the tank before and after the change. */
  onPut: (saved: ManagedTank, before: TankStatus) => void;
}

/** The form in which a person scans or types the number of a device, and puts the device on the tank. */
export function DeviceForm({ status, onKnown, onPut }: DeviceFormProps) {
  const { tank } = status;
  const changeTexts = useTexts(CHANGE_TEXTS);
  const texts = useTexts(COMMISSION_TEXTS);
  const fieldProblem = useFieldProblem();
  const [typed, setTyped] = useState(useUrlState().given.get('device') ?? '');
  const [exchange, setExchange] = useState<'swap' | 'release'>('release');
  const [isRevoked, setRevoked] = useState(true);
  const deviceId = deviceInCode(typed);
  const { data } = useQuery(deviceQuery(useTyped(deviceId)));
  // While the person types, `data` may still describe another device.
  const known = data?.device_id === deviceId ? data : undefined;
  useEffect(() => onKnown(known), [known, onKnown]);
  // The answer can come after the tank was read again: if it was lost, the person asks for it again.
  const before = useRef(status);
  const change = useChange<ManagedTank>((saved) => onPut(saved, before.current));
  const { state } = change;
  const needsInput = known !== undefined && known.channels.length > 0 && !deviceId.includes('#');
  const name = nameOf(tank);
  const old = tank.assigned_device_id;
  const hasOld = !old.startsWith('pending-') && !isManualDevice(old) && old !== deviceId;
  const holderId = state.kind === 'refused' && state.status === 409 ? state.conflictingId : null;
  const isSwap = holderId !== null && exchange === 'swap' && hasOld;

  const submit = (): void => {
    if (deviceId === '') return;
    before.current = status;
    change.begin({
      method: 'PUT',
      path: `/tanks/${tank.id}/device`,
      body: {
        device_id: deviceId,
        ...(holderId === null ? {} : { exchange: isSwap ? 'swap' : 'release' }),
        ...(hasOld && !isSwap ? { revoke_old: isRevoked } : {}),
      },
      label: texts.label(deviceId, name),
    });
  };
  const type = (text: string): void => {
    setTyped(text);
    if (!change.isBusy) change.reset(); // the refusal was about another device
  };
  return (
    <ChangeForm aria-label={texts.whichDevice} onSubmit={submit} noValidate>
      <fieldset disabled={change.isBusy}>
        <Scanner onFound={type} />
        <TextField
          label={texts.type}
          problem={fieldProblem(state, 'device_id')}
          autoCapitalize="characters"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={type}
        />
        {known !== undefined && <DeviceModel key={deviceId} device={known} tankId={tank.id} onInput={type} />}
        {holderId !== null && (
          <Exchange
            deviceId={deviceId}
            holderId={holderId}
            oldDevice={hasOld ? old : null}
            exchange={exchange}
            onChange={setExchange}
          />
        )}
        {hasOld && !isSwap && (
          <label className="box">
            <input type="checkbox" checked={isRevoked} onChange={({ target }) => setRevoked(target.checked)} />{' '}
            {texts.revokeOld(old)}
          </label>
        )}
        <Button type="submit" className="primary" disabled={deviceId === '' || needsInput}>
          {state.kind === 'sending' ? changeTexts.saving : texts.put(deviceId === '' ? '…' : deviceId, name)}
        </Button>
      </fieldset>
      <ChangeNotice
        change={change}
        fields={['device_id']}
        conflict={({ conflictingId }) => (conflictingId === null ? changeTexts.conflict : '')}
      />
    </ChangeForm>
  );
}

interface ExchangeProps {
  deviceId: string;
  /** The tank that has the device now. */
  holderId: string;
  /** The device of this tank. Null if it has none. */
  oldDevice: string | null;
  exchange: 'swap' | 'release';
  onChange: (exchange: 'swap' | 'release') => void;
}

/** Shown if the device is on another tank. Asks which device the other tank gets. */
function Exchange({ deviceId, holderId, oldDevice, exchange, onChange }: ExchangeProps) {
  const texts = useTexts(COMMISSION_TEXTS);
  const { data } = useQuery(tankQuery(holderId));
  const holder = data === undefined ? texts.anotherTank : nameOf(data.tank);
  return (
    <div role="alert" className="notice">
      <p>
        <b>{texts.isOn(deviceId, holder)}</b>
      </p>
      <fieldset>
        <legend>{texts.whatNow}</legend>
        {oldDevice !== null && (
          <label className="box">
            <input type="radio" name="exchange" checked={exchange === 'swap'} onChange={() => onChange('swap')} />{' '}
            {texts.swap(oldDevice)}
          </label>
        )}
        <label className="box">
          <input
            type="radio"
            name="exchange"
            checked={exchange === 'release' || oldDevice === null}
            onChange={() => onChange('release')}
          />{' '}
          {texts.release}
        </label>
      </fieldset>
    </div>
  );
}
