import { Field } from '../forms/field.tsx';
import { useTexts, useTranslation } from '../preferences.tsx';
import { CATALOG_TEXTS } from '../translations/catalog.ts';
import { ADDRESS_FIELDS, SOURCES, type TankField, type TankTexts, UNITS, USE_CASES } from './tank_values.ts';

interface FieldsProps {
  values: TankTexts;
  change: (values: Partial<TankTexts>) => void;
  problemOf: (field: TankField) => string;
}

const NUMBER_FIELDS: ReadonlySet<TankField> = new Set([
  'capacity',
  'min_fill_alert_percentage',
  'report_interval_hours',
]);

function TextField({ field, values, change, problemOf }: FieldsProps & { field: TankField }) {
  const texts = useTexts(CATALOG_TEXTS);
  const help: Readonly<Record<string, string>> = texts.tankHelp;
  const isNumber = NUMBER_FIELDS.has(field);
  return (
    <Field label={texts.tankFields[field]} help={help[field] ?? ''} problem={problemOf(field)}>
      {(attributes) => (
        <input
          {...attributes}
          type="text"
          inputMode={isNumber ? 'decimal' : undefined}
          autoComplete="off"
          value={values[field]}
          onChange={({ target }) => change({ [field]: target.value })}
        />
      )}
    </Field>
  );
}

interface ChoiceProps extends FieldsProps {
  field: 'capacity_unit' | 'use_case' | 'source';
  choices: readonly (readonly [value: string, text: string])[];
}

function Choice({ field, choices, values, change, problemOf }: ChoiceProps) {
  const texts = useTexts(CATALOG_TEXTS);
  return (
    <Field label={texts.tankFields[field]} problem={problemOf(field)}>
      {(attributes) => (
        <select {...attributes} value={values[field]} onChange={({ target }) => change({ [field]: target.value })}>
          {choices.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** What a tank is. */
export function TankFields(props: FieldsProps) {
  const texts = useTexts(CATALOG_TEXTS);
  const { useCases } = useTranslation().fleet;
  return (
    <div className="form-grid">
      <TextField {...props} field="name" />
      <TextField {...props} field="custom_id" />
      <TextField {...props} field="capacity" />
      <Choice {...props} field="capacity_unit" choices={UNITS.map((unit) => [unit, texts.units[unit]])} />
      <TextField {...props} field="min_fill_alert_percentage" />
      <Choice
        {...props}
        field="use_case"
        choices={[['', texts.noUseCase], ...USE_CASES.map((use) => [use, useCases[use]] as const)]}
      />
      <TextField {...props} field="report_interval_hours" />
    </div>
  );
}

/** Where the level of a new tank comes from. */
export function SourceFields(props: FieldsProps) {
  const texts = useTexts(CATALOG_TEXTS);
  return (
    <div className="form-grid">
      <Choice {...props} field="source" choices={SOURCES.map((source) => [source, texts.sources[source]])} />
      {props.values.source === 'device' && <TextField {...props} field="device_id" />}
    </div>
  );
}

export function AddressFields(props: FieldsProps) {
  return (
    <div className="form-grid">
      {ADDRESS_FIELDS.map((field) => (
        <TextField key={field} {...props} field={field} />
      ))}
      <TextField {...props} field="place" />
    </div>
  );
}
