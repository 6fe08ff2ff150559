import type { TankStatus } from '@tankwatch/client';
import { useQueryClient } from '@tanstack/react-query';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { useNow } from '../clock.ts';
import { sentence } from '../format.ts';
import { usePreferences, useTexts } from '../preferences.tsx';
import { SECTION_KEY } from '../sections.ts';
import { nameOf } from '../status.ts';
import { TANK_FORM_TEXTS } from '../translations/tank_forms.ts';

/** Who handles what on this tank, until when. */
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
  const queryClient = useQueryClient();
  const change = useChange(() => {
    for (const queryKey of [['tank', status.tank.id], SECTION_KEY]) void queryClient.invalidateQueries({ queryKey });
  });
  const { condition, acknowledgement_id: id, until, name, comment } = handled;
  return (
    <div className="notice handled-notice">
      <p>
        <b>{sentence(texts.conditions[condition])}</b>: {texts.by(name ?? texts.key, format.recent(until, nowMs))}{' '}
        {comment}
      </p>
      {canEnd && id !== null && (
        <p>
          <button
            type="button"
            className="button small"
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
          </button>
        </p>
      )}
      <ChangeNotice change={change} />
    </div>
  );
}
