import type { VolumeDoubt } from '../../../../src/values/volume_doubt.ts';
import type { VolumeUnit } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';

interface VolumeQuestionProps {
  volume: number;
  /** The volume with which it is compared, in the same unit: what fits, the capacity, or what the truck has left. */
  doubt: VolumeDoubt;
  unit: VolumeUnit;
  onChange: () => void;
  onConfirm: () => void;
}

/** Asks about an implausible volume before it is stored. The person may confirm it, because the meter may be right. */
export function VolumeQuestion({ volume, doubt, unit, onChange, onConfirm }: VolumeQuestionProps) {
  const { format } = usePreferences();
  const texts = useTexts(CHANGE_TEXTS).volumeQuestion;
  const typed = format.volume(volume, unit);
  return (
    <div className="notice volume-question">
      <p role="alert">
        <b>{texts[doubt.against](typed, format.volume(doubt.volume, unit))}</b>
      </p>
      <p className="button-row">
        <Button className="primary" onClick={onChange}>
          {texts.change}
        </Button>
        <Button onClick={onConfirm}>{texts.yes(typed)}</Button>
      </p>
    </div>
  );
}
