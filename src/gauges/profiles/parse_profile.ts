import { Compile } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import {
  type Frame,
  GaugeProfile,
  HEX_PATTERN,
  NAME_PATTERN,
  type ProfileField,
  type ProfileFields,
} from './profile.ts';
import { channelOf, isHealthName, isLevelName, isOtherName, MAX_CHANNELS, QUANTITY_NAMES } from './quantities.ts';

const NAME = /^(_?[a-z][a-z0-9_]{0,39})(#[1-9][0-9]?)?$/;
const schema = Compile(GaugeProfile);

const MAX_ERRORS = 20;

const PATTERN_TEXTS = new Map([
  [HEX_PATTERN, 'must be 1 to 8 bytes, each with two hexadecimal digits in small letters, such as 0a1b'],
  [NAME_PATTERN, 'must have small letters and digits, with - between them'],
]);

function sentenceOf(error: TLocalizedValidationError): string {
  return `${error.instancePath.slice(1) || 'the file'}: ${reasonOf(error)}.`;
}

/** Names the unknown key or the allowed values, because typing errors are the most frequent mistakes. */
function reasonOf({ keyword, message, params }: TLocalizedValidationError): string {
  if (keyword === 'additionalProperties') return `${message}: ${params.additionalProperties.join(', ')}`;
  if (keyword === 'enum') return `must be one of ${params.allowedValues.join(', ')}`;
  return (keyword === 'pattern' && PATTERN_TEXTS.get(String(params.pattern))) || message;
}

/** Returns the profile, or its errors as sentences. */
export function parseProfile(given: unknown): GaugeProfile | { errors: string[] } {
  if (!schema.Check(given)) {
    // TypeBox reports an unknown key twice; the error with the keyword `boolean` is left out.
    const errors = schema.Errors(given).filter(({ keyword }) => keyword !== 'boolean');
    return { errors: errors.slice(0, MAX_ERRORS).map(sentenceOf) };
  }
  const errors = given.frames.flatMap((frame, index) => frameErrors(given, frame, `frames/${index}`));
  return errors.length > 0 ? { errors: errors.slice(0, MAX_ERRORS) } : given;
}

/** The names of the same quantity, in other units. */
function nearNames(name: string): string {
  const quantity = name.replace(/_.*/, '');
  const near = QUANTITY_NAMES.filter((known) => known.startsWith(`${quantity}_`));
  return near.length === 0 ? '' : `there is ${near.join(', ')}; `;
}

function frameErrors({ input, split }: GaugeProfile, frame: Frame, where: string): string[] {
  const errors: string[] = [];
  if ((frame.repeat || frame.tlv) && input !== 'bytes') errors.push(`${where}: repeat and tlv are for bytes.`);
  if (frame.each !== undefined && input !== 'json') errors.push(`${where}: each is for JSON.`);
  if (input === 'text' && split === undefined) errors.push(`${where}: a text needs split.`);
  if (frame.ignore && (frame.fields || frame.repeat || frame.tlv))
    errors.push(`${where}: an ignored frame has no fields.`);
  const groups: [string, ProfileFields][] = [
    [`${where}/fields`, frame.fields ?? {}],
    [`${where}/repeat`, frame.repeat?.fields ?? {}],
    ...Object.entries(frame.tlv?.items ?? {}).map(([tag, fields]): [string, ProfileFields] => [
      `${where}/tlv/${tag}`,
      fields,
    ]),
  ];
  const tagBytes = frame.tlv?.tag ?? 1;
  for (const tag of [...Object.keys(frame.tlv?.items ?? {}), ...Object.keys(frame.tlv?.skip ?? {})])
    if (tag.length !== tagBytes * 2) errors.push(`${where}/tlv: the tag ${tag} must have ${tagBytes} bytes.`);
  for (const [group, fields] of groups) {
    for (const [name, field] of Object.entries(fields)) {
      const wrong = [nameError(name), placeError(input, field), ...meaningErrors(input, channelOf(name)[0], field)];
      if (field.polynomial && !Object.hasOwn(fields, field.polynomial.of))
        wrong.push(`there is no field ${field.polynomial.of} beside it.`);
      errors.push(...wrong.filter((error) => error !== undefined).map((error) => `${group}/${name}: ${error}`));
    }
  }
  return errors;
}

function nameError(name: string): string | undefined {
  const [base, channel] = channelOf(name);
  if (!NAME.test(name)) return 'not a name.';
  if (channel !== null && channel > MAX_CHANNELS) return `a device is on at most ${MAX_CHANNELS} tanks.`;
  const isKnown = base.startsWith('_') || isLevelName(base) || isHealthName(base) || isOtherName(base);
  return isKnown ? undefined : `no such quantity; ${nearNames(base)}begin the name of another value with _.`;
}

function placeError(input: GaugeProfile['input'], field: ProfileField): string | undefined {
  const places = [field.at, field.path, field.part, field.after].filter((place) => place !== undefined).length;
  const place = { bytes: field.at, json: field.path, text: field.part ?? field.after }[input];
  if (places !== 1 || place === undefined)
    return `needs ${{ bytes: 'at', json: 'path', text: 'part or after' }[input]}, and nothing else, to say where it is.`;
  return (field.type !== undefined) === (input === 'bytes') ? undefined : 'type is needed for bytes, and only there.';
}

/** The errors of a field that could be read, but not with the meaning that the author of the profile wanted. */
function meaningErrors(input: GaugeProfile['input'], base: string, field: ProfileField): string[] {
  const { bits, map, none, is, below, min, max } = field;
  const errors: string[] = [];
  const values = [...Object.keys(map ?? {}), ...(Array.isArray(none) ? [] : Object.keys(none ?? {}))];
  if (input === 'bytes')
    for (const value of values.filter((text) => text !== '*' && !/^-?\d+(\.\d+)?$/.test(text)))
      errors.push(`the value ${value} must be a decimal number${asDecimal(value)}.`);
  const yesOrNo = is ?? below;
  if (base === 'fault' && (yesOrNo !== undefined || none !== undefined || (input === 'bytes' && map === undefined)))
    errors.push('is a text: say with map what each value means, such as {"1": "no echo"}.');
  if (base === 'battery_low') {
    const isMapped = map !== undefined && Object.values(map).every((to) => typeof to === 'boolean' || to === null);
    const isDecided = yesOrNo !== undefined || isMapped || bits?.[1] === 1 || (input !== 'bytes' && map === undefined);
    if (!isDecided || min !== undefined || max !== undefined)
      errors.push('is true or false: say when it is true with is, below, or a map to true and false.');
  }
  return errors;
}

function asDecimal(value: string): string {
  const number = Number(value);
  return Number.isFinite(number) ? `: ${number}` : '';
}
