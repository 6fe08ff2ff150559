import { USE_CASES } from '@tankwatch/client';
import { isProduct, PRODUCT_NAMES, PRODUCTS } from '../../../../src/values/products.ts';
import { SelectField, TextField } from '../forms/field.tsx';
import { PlacePicker } from '../forms/place_picker.tsx';
import { useTexts, useTranslation } from '../preferences_and_words.tsx';
import { CATALOG_TEXTS } from '../translations/catalog.ts';
import { PRODUCT_TEXTS } from '../translations/products.ts';
import { ADDRESS_FIELDS, placeIn, placeText, SOURCES, type TankField, type TankTexts, UNITS } from './tank_values.ts';

interface FieldsProps {
  values: TankTexts;
  change: (values: Partial<TankTexts>) => void;
  problemOf: (field: TankField) => string;
}

const NUMBER_FIELDS: ReadonlySet<TankField> = new Set([
  'capacity',
  'min_fill_alert_percentage',
  'order_threshold_percentage',
  'report_interval_hours',
  'fill_limit_percentage',
]);

interface TextProps extends FieldsProps {
  field: TankField;
  placeholder?: string;
}

function TankTextField({ field, placeholder, values, change, problemOf }: TextProps) {
  const texts = useTexts(CATALOG_TEXTS);
  const help: Readonly<Record<string, string>> = texts.tankHelp;
  const isNumber = NUMBER_FIELDS.has(field);
  return (
    <TextField
      label={texts.tankFields[field]}
      help={help[field] ?? ''}
      problem={problemOf(field)}
      inputMode={isNumber ? 'decimal' : undefined}
      autoComplete="off"
      placeholder={placeholder}
      value={values[field]}
      onChange={(value) => change({ [field]: value })}
    />
  );
}

interface ChoiceProps extends FieldsProps {
  field: ChoiceField | 'source';
  choices: readonly Choosable[];
}

function Choice({ field, choices, values, change, problemOf }: ChoiceProps) {
  const texts = useTexts(CATALOG_TEXTS);
  return (
    <SelectField
      label={texts.tankFields[field]}
      problem={problemOf(field)}
      value={values[field]}
      options={choices}
      onChange={(value) => change({ [field]: value })}
    />
  );
}

type ChoiceField = 'capacity_unit' | 'product' | 'use_case' | 'is_mobile';
/** A stored value and its text. */
type Choosable = readonly [value: string, text: string];

/** The choices of the fields that have some. */
export function useTankChoices(): Readonly<Record<ChoiceField, readonly Choosable[]>> {
  const texts = useTexts(CATALOG_TEXTS);
  const products = useTexts(PRODUCT_TEXTS);
  const { useCases } = useTranslation().fleet;
  return {
    capacity_unit: UNITS.map((unit): Choosable => [unit, texts.units[unit]]),
    product: [
      ['', products.organizationDefault],
      ...PRODUCT_NAMES.map((name): Choosable => [name, products.names[name]]),
    ],
    use_case: [['', texts.noUseCase], ...USE_CASES.map((use): Choosable => [use, useCases[use]])],
    is_mobile: [
      ['', texts.isFixed],
      ['yes', texts.isMobile],
    ],
  };
}

/** The fields that describe a tank. */
export function TankFields(props: FieldsProps) {
  const choices = useTankChoices();
  const { product } = props.values;
  const limit = isProduct(product) ? String(PRODUCTS[product].fillLimit) : '';
  return (
    <div className="form-grid">
      <TankTextField {...props} field="name" />
      <TankTextField {...props} field="custom_id" />
      <TankTextField {...props} field="capacity" />
      <Choice {...props} field="capacity_unit" choices={choices.capacity_unit} />
      <Choice {...props} field="product" choices={choices.product} />
      <TankTextField {...props} field="fill_limit_percentage" placeholder={limit} />
      <TankTextField {...props} field="min_fill_alert_percentage" />
      <TankTextField {...props} field="order_threshold_percentage" />
      <Choice {...props} field="use_case" choices={choices.use_case} />
      <TankTextField {...props} field="report_interval_hours" />
      <Choice {...props} field="is_mobile" choices={choices.is_mobile} />
    </div>
  );
}

/** The fields that say where the level of a new tank comes from. */
export function SourceFields(props: FieldsProps) {
  const texts = useTexts(CATALOG_TEXTS);
  return (
    <div className="form-grid">
      <Choice {...props} field="source" choices={SOURCES.map((source) => [source, texts.sources[source]])} />
      {props.values.source === 'device' && <TankTextField {...props} field="device_id" />}
    </div>
  );
}

/** The address of a tank, and its place, typed or chosen on a map. `needsPlace`: the map is open at first. */
export function AddressFields({ needsPlace, ...props }: FieldsProps & { needsPlace: boolean }) {
  const { place, city, capacity_unit: unit } = props.values;
  const { latitude = null, longitude = null } = placeIn(place) ?? {};
  return (
    <>
      <div className="form-grid">
        {ADDRESS_FIELDS.map((field) => (
          <TankTextField key={field} {...props} field={field} />
        ))}
        <TankTextField {...props} field="place" />
      </div>
      <PlacePicker
        place={latitude === null || longitude === null ? null : { latitude, longitude }}
        city={city}
        isImperial={unit === 'gallons'}
        isOpenAtFirst={needsPlace}
        onPick={(picked) => props.change({ place: placeText(picked) })}
      />
    </>
  );
}
