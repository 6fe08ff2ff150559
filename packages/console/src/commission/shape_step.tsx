import type { TankStatus } from '@tankwatch/client';
import { capitalized, fillLimitOf } from '../../../../src/values/products.ts';
import { ChangeForm } from '../forms/change_form.tsx';
import type { UsedDraft } from '../forms/draft.ts';
import { Field, SelectField, TextField } from '../forms/field.tsx';
import { Button } from '../parts/button.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { GAUGE_TEXTS } from '../translations/gauges.ts';
import { PRODUCT_TEXTS } from '../translations/products.ts';
import { type TankShape, useLengths } from './gauges.ts';
import {
  DIMENSIONS,
  dimensionOf,
  FORMS,
  type Form,
  formOf,
  type GaugeField,
  HEADS,
  hasHeads,
  isForm,
  isSameSize,
  usualSizes,
} from './shape_values.ts';
import { FormIcon } from './tank_picture.tsx';

interface ShapeStepProps {
  status: TankStatus;
  draft: UsedDraft<GaugeField>;
  /** The shape that the tank has already. */
  stored: TankShape | undefined;
  /** The chosen shape. Null if it is not complete. */
  shape: TankShape | null;
  onNext: () => void;
  /** Not null if the device also sends a level, so that the shape may be left out. */
  onSkip: (() => void) | null;
}

/** Asks for the form and size of the tank with pictures. Only the level uses them. Volumes use the stored capacity. */
export function ShapeStep({ status, draft, stored, shape, onNext, onSkip }: ShapeStepProps) {
  const { format } = usePreferences();
  const texts = useTexts(GAUGE_TEXTS).shape;
  const products = useTexts(PRODUCT_TEXTS);
  const { values, change } = draft;
  const { capacity, capacity_unit: unit } = status.tank;
  const form = isForm(values.form) ? values.form : null;
  const limit = fillLimitOf(status);
  const choose = (chosen: Form): void => {
    const size = usualSizes(chosen).find(({ gallons }) => isSameSize(gallons, capacity, unit));
    const heads = chosen === 'vertical_cylinder' ? 'flat' : 'hemispherical';
    change({ form: chosen, size: size === undefined ? 'other' : String(size.gallons), heads });
  };
  const submit = (): void => {
    if (shape !== null) onNext();
  };
  return (
    <ChangeForm aria-label={texts.title} onSubmit={submit} noValidate>
      <fieldset>
        <legend className="hidden">{texts.title}</legend>
        <div className="shape-grid">
          {stored !== undefined && (
            <label className="tile">
              <input
                type="radio"
                name="form"
                checked={values.form === 'stored'}
                onChange={() => change({ form: 'stored' })}
              />
              <FormIcon form={formOf(stored)} />
              {texts.forms.stored}
            </label>
          )}
          {FORMS.map((one) => (
            <label key={one} className="tile">
              <input type="radio" name="form" checked={form === one} onChange={() => choose(one)} />
              <FormIcon form={one} />
              {texts.forms[one]}
            </label>
          ))}
        </div>
      </fieldset>
      {form !== null && <Size form={form} status={status} draft={draft} shape={shape} />}
      <p className="meta">
        {texts.onlyForm(
          capitalized(products.names[status.product]),
          format.percent(limit),
          format.volume((capacity * limit) / 100, unit),
        )}
      </p>
      <p className="button-row">
        <Button type="submit" className="primary" disabled={shape === null}>
          {texts.next}
        </Button>
        {onSkip !== null && <Button onClick={onSkip}>{texts.skip}</Button>}
      </p>
    </ChangeForm>
  );
}

interface SizeProps extends Pick<ShapeStepProps, 'status' | 'draft' | 'shape'> {
  form: Form;
}

function Size({ form, status, draft: { values, change }, shape }: SizeProps) {
  const { format } = usePreferences();
  const texts = useTexts(GAUGE_TEXTS).shape;
  const { capacity, capacity_unit: unit } = status.tank;
  const { size: sizeText, typedSize } = useLengths(unit);
  const sizes = usualSizes(form);
  const usual = sizes.find(({ gallons }) => String(gallons) === values.size);
  const gallonsText = (gallons: number): string => format.volume(gallons, 'gallons');
  if (form === 'table') return <TableField value={values.table} isValid={shape !== null} onChange={change} />;
  const measure = (): void => {
    const dimensions = DIMENSIONS[form].map((one) => {
      const mm = usual === undefined ? null : dimensionOf(usual.shape, one);
      return [one, mm === null ? '' : typedSize(mm)];
    });
    change({ size: 'other', ...Object.fromEntries(dimensions) });
  };
  return (
    <>
      {sizes.length > 0 && (
        <fieldset>
          <legend>{texts.size}</legend>
          <div className="tile-row">
            {sizes.map(({ gallons }) => (
              <label key={gallons} className="tile">
                <input
                  type="radio"
                  name="size"
                  checked={values.size === String(gallons)}
                  onChange={() => change({ size: String(gallons) })}
                />
                {gallonsText(gallons)}
              </label>
            ))}
            <label className="tile">
              <input type="radio" name="size" checked={usual === undefined} onChange={measure} />
              {texts.other}
            </label>
          </div>
        </fieldset>
      )}
      {usual === undefined ? (
        <Dimensions form={form} values={values} change={change} isInches={unit === 'gallons'} />
      ) : (
        <div className="notice">
          <p>
            <b>
              {texts.insideOf(
                DIMENSIONS[form]
                  .map((one) => texts.inside[one](sizeText(dimensionOf(usual.shape, one) ?? 0)))
                  .join(', '),
              )}
            </b>
          </p>
          <p className="meta">
            {texts.usual(gallonsText(usual.gallons))}{' '}
            <button type="button" className="link" onClick={measure}>
              {texts.change}
            </button>
          </p>
          {!isSameSize(usual.gallons, capacity, unit) && (
            <p>{texts.otherCapacity(format.volume(capacity, unit), gallonsText(usual.gallons))}</p>
          )}
        </div>
      )}
    </>
  );
}

interface DimensionsProps {
  form: Form;
  values: Readonly<Record<GaugeField, string>>;
  change: UsedDraft<GaugeField>['change'];
  isInches: boolean;
}

function Dimensions({ form, values, change, isInches }: DimensionsProps) {
  const texts = useTexts(GAUGE_TEXTS).shape;
  return (
    <>
      {DIMENSIONS[form].map((dimension) => (
        <TextField
          key={dimension}
          label={texts.dimensions[dimension](isInches ? texts.inches : texts.millimeters)}
          inputMode="decimal"
          autoComplete="off"
          value={values[dimension]}
          onChange={(value) => change({ [dimension]: value })}
        />
      ))}
      {hasHeads(form) && (
        <SelectField
          label={texts.heads}
          value={values.heads}
          options={HEADS.map((one) => [one, texts.headNames[one]])}
          onChange={(heads) => change({ heads })}
        />
      )}
    </>
  );
}

interface TableFieldProps {
  value: string;
  isValid: boolean;
  onChange: (values: { table: string }) => void;
}

function TableField({ value, isValid, onChange }: TableFieldProps) {
  const texts = useTexts(GAUGE_TEXTS).shape;
  return (
    <Field
      label={texts.table}
      help={texts.tableHelp}
      problem={value.trim() === '' || isValid || !value.trim().includes('\n') ? '' : texts.wrongTable}
    >
      {(attributes) => (
        <textarea {...attributes} rows={6} value={value} onChange={({ target }) => onChange({ table: target.value })} />
      )}
    </Field>
  );
}
