import type { FleetRound } from '@tankwatch/client';
import { useEffect } from 'react';
import { client } from '../api.ts';
import { useNow } from '../clock.ts';
import { useOrganization } from '../organization.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/marks.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { usePersonName } from '../session.ts';
import { ROUND_PRINT_TEXTS } from '../translations/round_print.ts';
import { ROUND_TEXTS } from '../translations/rounds.ts';

/**
 * Records in the service that the round was printed, with the button or with the browser, so that everybody in the
 * office sees when the sheet is out of date. The print is recorded before the dialog opens, because the sheet has the
 * stops of that moment. Browsers do not report a canceled dialog, so a recorded sheet may not exist.
 */
export function useRecordedPrint(roundId: string, { isEnabled }: { isEnabled: boolean }, onRecorded: () => void): void {
  useEffect(() => {
    if (!isEnabled) return undefined;
    const record = (): void => void client.manage.rounds.recordPrint(roundId).then(onRecorded, () => undefined);
    window.addEventListener('beforeprint', record);
    return () => window.removeEventListener('beforeprint', record);
  });
}

/** Shown only on paper: the phone of the office, who printed the sheet, and which sheet it replaces. */
export function SheetHead({ round: { driver, print } }: { round: FleetRound }) {
  const { format } = usePreferences();
  const roundTexts = useTexts(ROUND_TEXTS);
  const texts = useTexts(ROUND_PRINT_TEXTS);
  const nowMs = useNow();
  const phone = useOrganization()?.phone ?? null;
  const name = usePersonName();
  const facts = [
    driver?.name ?? null,
    name === null ? null : texts.printedBy(name),
    print === null ? texts.firstSheet : texts.replaces(format.recent(print.at, nowMs)),
  ];
  return (
    <>
      <span className="print-only meta">{facts.filter((fact) => fact !== null).join(' · ')}</span>
      {phone !== null && <b className="print-only print-phone">{roundTexts.printPhone(phone)}</b>}
    </>
  );
}

/** Shown only on paper: fields for what the driver writes at the start and at the end. */
export function SheetFoot() {
  const texts = useTexts(ROUND_PRINT_TEXTS);
  return (
    <div className="print-only sheet-foot">
      <div className="sheet-lines">
        <span>{texts.meterStart}</span>
        <span>{texts.meterEnd}</span>
        <span>{texts.signature}</span>
      </div>
      <p className="meta">{texts.advice}</p>
    </div>
  );
}

/** Shown only on the screen: warns that the sheet of the driver is out of date. */
export function OldSheet({ round: { print } }: { round: FleetRound }) {
  const { format } = usePreferences();
  const roundTexts = useTexts(ROUND_TEXTS);
  const texts = useTexts(ROUND_PRINT_TEXTS);
  const nowMs = useNow();
  if (print === null || !print.is_old) return null;
  return (
    <p className="must-warning no-print" role="status">
      <Icon name="warning" /> <strong>{texts.isOld(format.recent(print.at, nowMs))}</strong> {texts.oldHelp}{' '}
      <Button className="small" onClick={() => window.print()}>
        {roundTexts.print}
      </Button>
    </p>
  );
}
