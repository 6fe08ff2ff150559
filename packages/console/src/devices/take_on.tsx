import type { FleetDevices } from '@tankwatch/client';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useReadAgain } from '../change/read_again.ts';
import { useChange } from '../change/use_change.ts';
import { DAY_MS } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { useCan } from '../session.ts';
import { DEVICE_TEXTS } from '../translations/devices.ts';

/** After this time, a device that somebody took on is listed as trouble again. */
const TAKEN_DAYS = 3;

/** Who has taken on a device, and the button that takes it on or gives it back. */
export function TakeOn({ device, nowMs }: { device: FleetDevices['devices'][number]; nowMs: number }) {
  const { words, format } = usePreferences();
  const texts = useTexts(DEVICE_TEXTS);
  const [canExchange, canHandle] = [useCan('devices'), useCan('alerts')];
  const change = useChange(useReadAgain(['devices'], ['tank']));
  const { state, tank, taken_on: takenOn, device_id: id } = device;
  if (state === 'reporting') return null;
  const condition = state === 'silent' || state === 'gauge_unreliable' ? state : 'device';
  const may = canExchange || canHandle;
  const acknowledgementId = takenOn?.acknowledgement_id ?? null;
  return (
    <>
      {takenOn !== null && (
        <span className="meta">
          {texts.takenOn(takenOn.name ?? words.today.program, format.recent(takenOn.until, nowMs))}
        </span>
      )}{' '}
      {may && takenOn === null && (
        <Button
          className="small no-print"
          aria-label={texts.takeOnOf(id)}
          disabled={change.isBusy}
          onClick={() =>
            change.begin({
              method: 'POST',
              path: `/tanks/${tank.id}/acknowledgements`,
              body: { conditions: [condition], until: new Date(Date.now() + TAKEN_DAYS * DAY_MS).toISOString() },
              label: texts.takeOnOf(id),
            })
          }
        >
          {texts.takeOn}
        </Button>
      )}
      {may && acknowledgementId !== null && (
        <Button
          className="small no-print"
          aria-label={texts.giveBackOf(id)}
          disabled={change.isBusy}
          onClick={() =>
            change.begin({
              method: 'DELETE',
              path: `/acknowledgements/${acknowledgementId}`,
              label: texts.giveBackOf(id),
            })
          }
        >
          {texts.giveBack}
        </Button>
      )}
      <ChangeNotice change={change} conflict={() => texts.takenMeanwhile} />
    </>
  );
}
