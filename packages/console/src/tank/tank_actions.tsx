import type { TankStatus } from '@tankwatch/client';
import { useState } from 'react';
import { Link } from 'wouter';
import { HOUR_MS } from '../format.ts';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { useCan } from '../session.ts';
import { isLosing, nameOf } from '../status.ts';
import { HandleForm } from './handle_form.tsx';
import { openConditions } from './handled.ts';
import { HandledNotice } from './handled_notice.tsx';
import { Mute } from './mute.tsx';
import { Notes } from './notes.tsx';
import { Threshold } from './threshold.tsx';
import '../styles/forms.css';
import { Button } from '../parts/button.tsx';
import { Panel } from '../parts/panel.tsx';
import { TANK_FORM_TEXTS } from '../translations/tank_forms.ts';

/** Shown above the figures of a tank: the acknowledged conditions, and the button to acknowledge others. */
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
          <Button className="primary" onClick={() => setOpen(true)}>
            {texts.openOf(nameOf(status.tank))}
          </Button>
        </p>
      )}
      {isOpen && (
        <section className="panel">
          <h2>{texts.title(nameOf(status.tank))}</h2>
          <HandleForm status={status} onDone={() => setOpen(false)} />
        </section>
      )}
    </>
  );
}

/** Shown above the history of a tank: notes, device, mute and threshold, each for people who may change it. */
export function TankCards({ status, nowMs }: { status: TankStatus; nowMs: number }) {
  const texts = useTexts(TANK_FORM_TEXTS);
  const [canNote, canChange, canExchange, canMute] = [
    useCan('notes'),
    useCan('catalog'),
    useCan('devices'),
    useCan('alerts'),
  ];
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
      <div className="act-grid cards no-print">
        {canNote && <Notes status={status} />}
        {canExchange && <DeviceCard status={status} nowMs={nowMs} />}
        {canMute && (!isLosing(status) || status.muted_until !== null) && <Mute status={status} />}
        {canChange && <Threshold status={status} />}
      </div>
    </>
  );
}

function DeviceCard({ status, nowMs }: { status: TankStatus; nowMs: number }) {
  const texts = useTexts(TANK_FORM_TEXTS).device;
  const { format } = usePreferences();
  const device = status.tank.assigned_device_id;
  const isPending = device.startsWith('pending-');
  const heardAt = status.reading?.created_at;
  return (
    <Panel
      id="device"
      title={
        isPending ? (
          texts.title
        ) : (
          <>
            {texts.title} <span className="unbroken">{device}</span>
          </>
        )
      }
      action={
        <Link
          className="button small"
          href={`/commission/${status.tank.id}`}
          aria-label={isPending ? texts.put : texts.exchange}
        >
          {isPending ? texts.putShort : texts.exchangeShort}
        </Link>
      }
    >
      <p>
        {isPending
          ? texts.none
          : heardAt === undefined
            ? texts.neverHeard
            : texts.heard(format.ago(nowMs - Date.parse(heardAt)))}{' '}
        {!isPending && status.usual_interval_hours !== null && (
          <span className="meta">{texts.usually(format.longDuration(status.usual_interval_hours * HOUR_MS))}</span>
        )}
      </p>
      {!isPending && (
        <p>
          <Link href={`/commission/${status.tank.id}/calibration`}>{texts.calibrate}</Link>
        </p>
      )}
    </Panel>
  );
}
