import type { TankStatus } from '@tankwatch/client';
import { useQueryClient } from '@tanstack/react-query';
import { useNow } from '../clock.ts';
import { usePreferences } from '../preferences.tsx';
import { SECTION_KEY } from '../sections.ts';
import { nameOf } from '../status.ts';
import { ACT_WORDS } from '../words/act_words.ts';
import { ChangeNotice } from './change_notice.tsx';
import { type Handled, handledOf } from './handled.ts';
import { useChange } from './use_change.ts';

/** Who handles what on this tank, until when. */
export function HandledNotice({ status, canEnd }: { status: TankStatus; canEnd: boolean }) {
  const handled = handledOf(status);
  // One acknowledgement can be of several conditions.
  const ids = [...new Set(handled.map(({ id }) => id))];
  return ids.map((id) => (
    <HandledOne
      key={id}
      status={status}
      canEnd={canEnd}
      conditions={handled.filter((one) => one.id === id)}
    />
  ));
}

interface HandledOneProps {
  status: TankStatus;
  canEnd: boolean;
  conditions: readonly Handled[];
}

function HandledOne({ status, canEnd, conditions }: HandledOneProps) {
  const { language, format } = usePreferences();
  const texts = ACT_WORDS[language].handle;
  const nowMs = useNow();
  const queryClient = useQueryClient();
  const change = useChange(() => {
    for (const queryKey of [['tank', status.tank.id], SECTION_KEY]) void queryClient.invalidateQueries({ queryKey });
  });
  const [first] = conditions;
  if (first === undefined) return null;
  const { id, until, byName, comment } = first;
  return (
    <div className="notice handled-notice">
      <p>
        <b>{conditions.map(({ condition }) => texts.conditions[condition]).join(', ')}</b>:{' '}
        {texts.by(byName ?? texts.key, format.recent(until, nowMs))} {comment}
      </p>
      {canEnd && (
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
