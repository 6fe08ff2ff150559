import type { TankStatus } from '@tankwatch/client';
import { useState } from 'react';
import { Link } from 'wouter';
import { useTexts } from '../preferences.tsx';
import { useCan } from '../session.ts';
import { isLosing, nameOf } from '../status.ts';
import { HandleForm } from './handle_form.tsx';
import { openConditions } from './handled.ts';
import { HandledNotice } from './handled_notice.tsx';
import { Mute } from './mute.tsx';
import { Notes } from './notes.tsx';
import { Threshold } from './threshold.tsx';
import '../styles/forms.css';
import { TANK_FORM_TEXTS } from '../translations/tank_forms.ts';

/** Above the figures of a tank: what is handled, and the button to handle it. */
export function TankAlerts({ status }: { status: TankStatus }) {
  const texts = useTexts(TANK_FORM_TEXTS).handle;
  const canAct = useCan('alerts');
  const [isOpen, setOpen] = useState(false);
  const isHandleable = canAct && openConditions(status).length > 0;
  return (
    <>
      <HandledNotice status={status} canEnd={canAct} />
      {isHandleable && !isOpen && (
        <p className="no-print">
          <button type="button" className="button primary" onClick={() => setOpen(true)}>
            {texts.openOf(nameOf(status.tank))}
          </button>
        </p>
      )}
      {isOpen && (
        <section className="panel">
          <HandleForm status={status} onDone={() => setOpen(false)} />
        </section>
      )}
    </>
  );
}

/** Below the history of a tank: notes, threshold, device, mute, each for those who may change it. */
export function TankForms({ status }: { status: TankStatus }) {
  const texts = useTexts(TANK_FORM_TEXTS);
  const [canNote, canChange, canExchange, canMute] = [
    useCan('notes'),
    useCan('catalog'),
    useCan('devices'),
    useCan('alerts'),
  ];
  const device = status.tank.assigned_device_id;
  const isPending = device.startsWith('pending-');
  return (
    <>
      {status.notes.length > 0 && (
        <div className="print-only">
          <h2>{texts.notes.title}</h2>
          {status.notes.map(({ id, text }) => (
            <p key={id}>{text}</p>
          ))}
        </div>
      )}
      <div className="act-grid no-print">
        {canNote && <Notes status={status} />}
        {canChange && <Threshold status={status} />}
        {canExchange && (
          <section className="panel" aria-labelledby="device">
            <h2 id="device">{texts.device.title}</h2>
            <p>{isPending ? texts.device.none : device}</p>
            <Link className="button" href={`/commission/${status.tank.id}`}>
              {isPending ? texts.device.put : texts.device.exchange}
            </Link>
          </section>
        )}
        {canMute && (!isLosing(status) || status.muted_until !== null) && (
          <section className="panel" aria-labelledby="mute">
            <h2 id="mute">{texts.mute.title}</h2>
            <Mute status={status} />
          </section>
        )}
      </div>
    </>
  );
}
