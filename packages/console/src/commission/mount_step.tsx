import type { UsedChange } from '../change/use_change.ts';
import { ChangeForm } from '../forms/change_form.tsx';
import type { UsedDraft } from '../forms/draft.ts';
import { TextField } from '../forms/field.tsx';
import { Button } from '../parts/button.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { GAUGE_TEXTS } from '../translations/gauges.ts';
import type { MeasureKind } from './gauge_steps.tsx';
import { type Gauge, useLengths, useNumbers } from './gauges.ts';
import type { Form, GaugeField } from './shape_values.ts';
import { TankPicture } from './tank_picture.tsx';

type Mount = Omit<Gauge, 'from_at' | 'shape'>;

/** Usual distances of the sensor face from the inside top, without and with a riser, or from the bottom. */
const NO_RISER_MM = 10;
const RISER_MM = 100;
const ON_BOTTOM_MM = 0;

interface MountStepProps {
  form: Form;
  kind: MeasureKind;
  draft: UsedDraft<GaugeField>;
  change: UsedChange;
  onStore: (mount: Mount) => void;
}

/** Asks for the position of the sensor and for what else is needed to compute a level. */
export function MountStep({ form, kind, draft, change, onStore }: MountStepProps) {
  const changeTexts = useTexts(CHANGE_TEXTS);
  const texts = useTexts(GAUGE_TEXTS).mount;
  const numberOf = useNumbers();
  const { mm } = useLengths('liters');
  const { values } = draft;
  const measures = measuredBy(kind, values.direction);
  const mount = measures === null ? null : typedMount(measures, values, numberOf);
  const offset = numberOf(values.offset);
  const submit = (): void => {
    if (mount !== null) onStore(mount);
  };
  const presets = measures === 'distance' ? [NO_RISER_MM, RISER_MM] : [ON_BOTTOM_MM];
  const presetText = (value: number): string => {
    if (value === RISER_MM) return texts.riser(mm(value));
    return value === NO_RISER_MM ? texts.noRiser(mm(value)) : texts.onBottom(mm(value));
  };
  const input = (field: 'offset' | 'density' | 'empty' | 'full', label: string, help = '') => (
    <TextField
      label={label}
      help={help}
      className="short"
      inputMode={field === 'offset' ? 'text' : 'decimal'}
      autoComplete="off"
      value={values[field]}
      onChange={(value) => draft.change({ [field]: value })}
    />
  );
  return (
    <ChangeForm aria-label={texts.title} onSubmit={submit} noValidate>
      <fieldset disabled={change.isBusy}>
        {kind === 'length' && (
          <Direction value={values.direction} onChange={(direction) => draft.change({ direction })} />
        )}
        {measures !== null && measures !== 'raw' && (
          <>
            <TankPicture
              form={form}
              share={0.58}
              isFromBottom={measures !== 'distance'}
              offset={offset === null ? undefined : mm(offset)}
            />
            <p>{texts[measures]}</p>
            <div className="tile-row">
              {presets.map((value) => (
                <label key={value} className="tile">
                  <input
                    type="radio"
                    name="offset"
                    checked={offset === value}
                    onChange={() => draft.change({ offset: String(value) })}
                  />
                  {presetText(value)}
                </label>
              ))}
            </div>
            {input('offset', texts.measured, measures === 'distance' ? texts.inTank : '')}
          </>
        )}
        {measures === 'pressure' && input('density', texts.density)}
        {measures === 'raw' && (
          <>
            <p>{texts.raw}</p>
            {input('empty', texts.empty)}
            {input('full', texts.full)}
          </>
        )}
        <Button type="submit" className="primary" disabled={mount === null}>
          {change.state.kind === 'sending' ? changeTexts.saving : texts.wait}
        </Button>
      </fieldset>
    </ChangeForm>
  );
}

function Direction({ value, onChange }: { value: string; onChange: (direction: string) => void }) {
  const texts = useTexts(GAUGE_TEXTS).mount;
  return (
    <fieldset>
      <legend>{texts.direction}</legend>
      <div className="tile-row">
        {(['distance', 'height'] as const).map((one) => (
          <label key={one} className="tile">
            <input type="radio" name="direction" checked={value === one} onChange={() => onChange(one)} />
            {one === 'distance' ? texts.fromTop : texts.fromBottom}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** What the gauge measures. Null if it is a length whose direction is not chosen. */
function measuredBy(kind: MeasureKind, direction: string): Mount['measures'] | null {
  if (kind !== 'length') return kind;
  return direction === 'distance' || direction === 'height' ? direction : null;
}

/** The typed position and what else is needed. Null if something is missing. */
function typedMount(
  measures: Mount['measures'],
  values: Readonly<Record<GaugeField, string>>,
  numberOf: (text: string) => number | null,
): Mount | null {
  if (measures === 'raw') {
    const [empty, full] = [numberOf(values.empty), numberOf(values.full)];
    return empty === null || full === null || empty === full
      ? null
      : { measures, offset_mm: 0, range: { empty, full } };
  }
  const offset_mm = numberOf(values.offset);
  if (offset_mm === null) return null;
  if (measures !== 'pressure') return { measures, offset_mm };
  const density_kg_m3 = numberOf(values.density);
  return density_kg_m3 === null || density_kg_m3 < 1 ? null : { measures, offset_mm, density_kg_m3 };
}
