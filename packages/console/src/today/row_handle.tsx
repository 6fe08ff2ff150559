import type { TankStatus } from '@tankwatch/client';
import { Button } from '../parts/button.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { nameOf } from '../status.ts';
import { HandleForm } from '../tank/handle_form.tsx';
import { openConditions } from '../tank/handled.ts';
import { TANK_FORM_TEXTS } from '../translations/tank_forms.ts';

interface HandleCellProps {
  status: TankStatus;
  isOpen: boolean;
  onToggle: () => void;
}

/** The button at the end of a row that opens the form. */
export function HandleCell({ status, isOpen, onToggle }: HandleCellProps) {
  const texts = useTexts(TANK_FORM_TEXTS).handle;
  if (openConditions(status).length === 0) return null;
  return (
    <Button
      className={status.status.includes('losing') ? 'small danger' : 'small'}
      aria-label={texts.openOf(nameOf(status.tank))}
      aria-expanded={isOpen}
      onClick={onToggle}
    >
      {texts.open}
    </Button>
  );
}

/** The form below a row. Its row stays in the list while the pointer or the focus is in the form (data-tank). */
export function HandleRow({ status, columns, onDone }: { status: TankStatus; columns: number; onDone: () => void }) {
  return (
    <tr className="handle-row" data-tank={status.tank.id}>
      <td colSpan={columns}>
        <HandleForm status={status} onDone={onDone} />
      </td>
    </tr>
  );
}
