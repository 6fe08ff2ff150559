import { isDeepStrictEqual } from 'node:util';
import type { TObject } from 'typebox';
import { invalidParameters, type ParameterError, Problem, preconditionFailed } from '../../http/problem.ts';
import { NoSuchObjectError } from '../../values/change_refusal.ts';
import type { JsonObject } from '../../values/json.ts';
import type { Condition } from './conditions.ts';

/** Separates the read-only fields from a body, because a program may send back an object that it has read. */
export function splitRepeated(
  body: JsonObject,
  schema: TObject,
  item: TObject | null | undefined,
): { written: JsonObject; repeated: JsonObject } {
  const isRepeated = (name: string): boolean =>
    Object.hasOwn(item?.properties ?? {}, name) && !Object.hasOwn(schema.properties, name);
  const fields = Object.entries(body);
  const repeated = fields.filter(([name]) => isRepeated(name));
  if (repeated.length === 0) return { written: body, repeated: {} };
  return {
    written: Object.fromEntries(fields.filter(([name]) => !isRepeated(name))),
    repeated: Object.fromEntries(repeated),
  };
}

/** Says what to do, because a caller who only omits the ID would create a second tank with the new owner. */
const NO_OBJECT =
  'Read-only, and no object has this key. To change the key or the owner of an object, use PATCH with its ID.';
const OTHER_OBJECT =
  'Belongs to another object than the one that the request names. Leave it out, or correct the path or the key.';
/** The fields by which an object is known, with what to do if the body has another value. */
const IDENTITY = new Map([
  ['id', OTHER_OBJECT],
  ['object', OTHER_OBJECT],
  ['email', 'The address of a contact cannot be changed: leave it out, or add another contact.'],
  ['assigned_device_id', 'PATCH changes no device: leave it out, and use PUT /manage/v1/tanks/{id}/device.'],
]);

/**
 * The errors of read-only fields that differ from the stored object. `stored` is undefined if there is no object yet.
 */
export function repeatErrors(repeated: JsonObject, stored: object | undefined): ParameterError[] {
  return Object.entries(repeated).flatMap(([param, value]): ParameterError[] => {
    if (stored === undefined) return [{ param, code: 'read_only', detail: NO_OBJECT }];
    const now: unknown = Reflect.get(stored, param);
    if (now === undefined || isDeepStrictEqual(JSON.parse(JSON.stringify(now)), value)) return [];
    const identity = IDENTITY.get(param);
    return identity !== undefined
      ? [{ param, code: 'contradiction', detail: identity }]
      : [{ param, code: 'changed', detail: 'Read-only, and it has changed since you read it.' }];
  });
}

/**
 * Throws 412 if a read-only field was changed meanwhile, and 422 if the body belongs to another object. With If-Match,
 * only the second is checked, and only of the version that it names: some fields change by themselves, and the operation
 * refuses other versions.
 */
export async function checkRepeated(
  given: JsonObject,
  { ifMatch }: Pick<Condition, 'ifMatch'>,
  read: () => Promise<{ body: object | null }>,
): Promise<void> {
  const fields = Object.entries(given).filter(([name]) => ifMatch === undefined || IDENTITY.has(name));
  const repeated = Object.fromEntries(fields);
  if (fields.length === 0) return;
  const stored = await read().then(
    ({ body }) => body ?? undefined,
    (error: unknown) => {
      const isMissing = error instanceof NoSuchObjectError || (error instanceof Problem && error.code === 'not_found');
      if (!isMissing) throw error;
      return undefined;
    },
  );
  // The change itself reports that the object is deleted.
  if (stored !== undefined && 'deleted' in stored) return;
  if (Array.isArray(ifMatch) && stored !== undefined && 'etag' in stored && !ifMatch.includes(stored.etag)) return;
  const errors = repeatErrors(repeated, stored);
  if (errors.length > 0 && errors.every(({ code }) => code === 'changed'))
    throw preconditionFailed(
      `The object has changed since you read it (${errors.map(({ param }) => param).join(', ')}). Read it again, and repeat the change.`,
    );
  if (errors.length > 0) throw invalidParameters(errors);
}
