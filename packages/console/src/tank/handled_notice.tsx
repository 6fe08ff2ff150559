import type { TankStatus } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useReadAgain } from '../change/read_again.ts';
import { useChange } from '../change/use_change.ts';
import { useNow } from '../clock.ts';
import { sentence } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { SECTION_KEY } from '../sections.ts';
import { sessionQuery } from '../session.ts';
import { nameOf } from '../status.ts';
import { TANK_FORM_TEXTS } from '../translations/tank_forms.ts';
import { HandleForm } from './handle_form.tsx';

/** Who handles what on this tank, since when and until when. A colleague can take it over. */
export function HandledNotice({ status, canEnd }: { status: TankStatus; canEnd: boolean }) {
  return status.handled.map((handled) => (
    <HandledOne key={handled.condition} status={status} canEnd={canEnd} handled={handled} />
  ));
}

interface HandledOneProps {
  status: TankStatus;
  canEnd: boolean;
  handled: TankStatus['handled'][number];
}

function HandledOne({ status, canEnd, handled }: HandledOneProps) {
  const { format } = usePreferences();
  const texts = useTexts(TANK_FORM_TEXTS).handle;
  const nowMs = useNow();
  const change = useChange(useReadAgain(['tank', status.tank.id], SECTION_KEY, ['summary']));
  const person = useQuery(sessionQuery).data?.person;
  const [isTaking, setTaking] = useState(false);
  const { condition, acknowledgement_id: id, since, until, name, comment, returns_at_percentage: returnsAt } = handled;
  const isMine = person !== undefined && person !== null && [person.name, person.email].includes(name);
  return (
    <div className="notice handled-notice">
      <div className="handled-bar">
        <div>
          <p>
            <b>{sentence(texts.conditions[condition])}</b>:{' '}
            {texts.by(name ?? texts.key, format.recent(since, nowMs), format.recent(until, nowMs))}{' '}
            {comment !== null && `“${comment}”`}
          </p>
          <p className="meta">
            {condition === 'losing'
              ? texts.returnsLoss
              : returnsAt === null
                ? texts.returns
                : texts.returnsAt(format.percent(returnsAt))}
          </p>
        </div>
        {canEnd && id !== null && !isTaking && (
          <p className="button-row no-print">
            <Button
              disabled={change.isBusy}
              onClick={() =>
                change.begin({
                  method: 'DELETE',
                  path: `/acknowledgements/${id}`,
                  label: texts.endLabel(nameOf(status.tank)),
                })
              }
            >
              {texts.end}
            </Button>
            {!isMine && (
              <Button className="primary" onClick={() => setTaking(true)}>
                {texts.takeOver}
              </Button>
            )}
          </p>
        )}
      </div>
      {isTaking && id !== null && (
        <HandleForm status={status} taken={{ condition, acknowledgementId: id }} onDone={() => setTaking(false)} />
      )}
      <ChangeNotice change={change} />
    </div>
  );
}
