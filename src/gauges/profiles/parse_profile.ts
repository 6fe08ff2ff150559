import { Compile } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { type Frame, GaugeProfile, type ProfileFields } from './profile.ts';
import { channelOf, isHealthName, isLevelName, isOtherName, MAX_CHANNELS, QUANTITY_NAMES } from './quantities.ts';

const NAME = /^(_?[a-z][a-z0-9_]{0,39})(#[1-9][0-9]?)?$/;
const schema = Compile(GaugeProfile);

const MAX_ERRORS = 20;

/** Keys that do not exist are named: a mistake in writing is the most frequent one. */
function sentenceOf({ instancePath, message, params }: TLocalizedValidationError): string {
  const unknown = 'additionalProperties' in params ? `: ${params.additionalProperties.join(', ')}` : '';
  return `${instancePath.slice(1) || 'the file'}: ${message}${unknown}.`;
}

/** A profile, or everything that is wrong with it, one sentence each. */
export function parseProfile(given: unknown): GaugeProfile | { errors: string[] } {
  if (!schema.Check(given)) {
    // A key that must not be there is reported twice: as such, and by its own path.
    const errors = schema.Errors(given).filter(({ keyword }) => keyword !== 'boolean');
    return { errors: errors.slice(0, MAX_ERRORS).map(sentenceOf) };
  }
  const errors = given.frames.flatMap((frame, index) => frameErrors(given, frame, `frames/${index}`));
  return errors.length > 0 ? { errors: errors.slice(0, MAX_ERRORS) } : given;
}

/** The names of the same quantity, in other units. */
function nearNames(name: string): string {
  const quantity = name.replace(/_.*/, '');
  const near = QUANTITY_NAMES.filter((one) => one.startsWith(`${quantity}_`));
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
      const path = `${group}/${name}`;
      const [base, channel] = channelOf(name);
      if (!NAME.test(name)) errors.push(`${path}: not a name.`);
      else if (channel !== null && channel > MAX_CHANNELS)
        errors.push(`${path}: a device is on at most ${MAX_CHANNELS} tanks.`);
      else if (!base.startsWith('_') && !isLevelName(base) && !isHealthName(base) && !isOtherName(base))
        errors.push(`${path}: no such quantity; ${nearNames(base)}begin the name of another value with _.`);
      const places = [field.at, field.path, field.part, field.after].filter((place) => place !== undefined).length;
      const place = { bytes: field.at, json: field.path, text: field.part ?? field.after }[input];
      if (places !== 1 || place === undefined)
        errors.push(
          `${path}: needs ${{ bytes: 'at', json: 'path', text: 'part or after' }[input]}, and nothing else, to say where it is.`,
        );
      if ((field.type !== undefined) !== (input === 'bytes'))
        errors.push(`${path}: type is needed for bytes, and only there.`);
      if (field.polynomial && !Object.hasOwn(fields, field.polynomial.of))
        errors.push(`${path}: there is no field ${field.polynomial.of} beside it.`);
    }
  }
  return errors;
}
