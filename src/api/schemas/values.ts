import { type Static, type TObject, type TProperties, Type } from 'typebox';
import { CAPACITY_RANGE } from '../../catalog/tank_fields.ts';
import { MAX_PHONES } from '../../values/phones.ts';
import type { Operation } from '../operation.ts';

// Nullable types are type arrays, not anyOf, because the compiled serializer is much faster with type arrays.
export const NullableString = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description });
export const NullableNumber = (description: string) =>
  Type.Unsafe<number | null>({ type: ['number', 'null'], description });
export const NullableBoolean = (description: string) =>
  Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], description });
export const NullableTime = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description });
export const NullableEnum = <const Value extends string>(values: readonly Value[], description: string) =>
  Type.Unsafe<Value | null>({ type: ['string', 'null'], enum: [...values, null], description });
/** An object without other fields. */
export const Closed = <Properties extends TProperties>(properties: Properties, description?: string) =>
  Type.Object(properties, { ...(description !== undefined && { description }), additionalProperties: false });
/** An object without other fields that has a name in the document. */
export const Named = <Properties extends TProperties>(title: string, properties: Properties) =>
  Type.Object(properties, { title, additionalProperties: false });
/** The same fields, each of which may be missing. */
export const optional = <Properties extends TProperties>(properties: Properties) =>
  Type.Partial(Type.Object(properties)).properties;
export const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
export const Nullable = <Properties extends TProperties>(description: string, properties: Properties) =>
  orNull(Closed(properties), description);
export const Count = (description: string) => Type.Integer({ description });
export const Time = (description: string) => Type.String({ format: 'date-time', description });

/**
 * A keyword with bounds that are only documented. The validator ignores it. The fields of the catalog check the bounds
 * later, together with all other fields.
 */
export const CHECKED_LATER = 'x-checked-later';
export const GivenName = (description: string) => Type.String({ description, [CHECKED_LATER]: { maxLength: 500 } });
export const GivenCapacity = (description: string) =>
  Type.Number({ description, [CHECKED_LATER]: { ...CAPACITY_RANGE } });

/** The fields that identify another object, such as a tank of an event. */
export const idName = (object: string) => ({
  id: Type.String({ description: `ID of the ${object}.` }),
  name: Type.String({ description: 'Its name.' }),
});

export const Phone = Named('Phone', {
  number: Type.String({ description: 'Phone number.' }),
  whose: NullableString('Whose phone it is, or when to call it.'),
  text_for_loss: Type.Boolean({
    description: 'Whether people send a text to this number when a tank loses gas. Tankwatch sends none to it.',
  }),
});
export const Phones = Type.Array(Phone, {
  maxItems: MAX_PHONES,
  description: 'All phones, beginning with the phone to call first.',
});
export const PHONES_EXAMPLE: Static<typeof Phones> = [
  { number: '+52 461 555 0142', whose: 'María', text_for_loss: true },
  { number: '+52 461 555 0160', whose: 'Kitchen', text_for_loss: false },
];

export const Deleted = <Name extends string>(object: Name) =>
  Named(`Deleted ${object}`, { id: Type.String(), object: Type.Literal(object), deleted: Type.Literal(true) });

export const List = <Item extends TObject>(item: Item) =>
  Closed({
    object: Type.Literal('list'),
    data: Type.Array(item, {
      description: 'The objects of this page, at most `size`. Empty if the page is past the end.',
    }),
    page: Type.Integer({ description: 'Number of this page.' }),
    size: Type.Integer({ description: 'Maximum number of objects on a page.' }),
    total_pages: Type.Integer({ description: 'Number of pages. 0 if no object matches.' }),
    total_items: Type.Integer({ description: 'Number of objects that match, on all pages.' }),
  });
/** The last fields of all lists that are read page by page: send `next` as `after` while `has_more` is true. */
export const pageEndFields = {
  next: NullableString('Send it as `after` to get the next page. Null on the last page.'),
  has_more: Type.Boolean({ description: 'Whether there is another page.' }),
};
export const pageEnd = (next: string | null): { next: string | null; has_more: boolean } => ({
  next,
  has_more: next !== null,
});
/** A page of a list whose order changes all the time. It has cursors, because page numbers would skip items. */
export const CursorList = <Item extends TObject>(item: Item) =>
  Closed({
    object: Type.Literal('list'),
    data: Type.Array(item, { description: 'The objects of this page, at most `size`.' }),
    ...pageEndFields,
    previous: NullableString('Send it as `before` to get the previous page. Null on the first page.'),
    total_items: Type.Integer({ description: 'Number of objects that match, on all pages, counted at `as_of`.' }),
    as_of: Time('When `total_items` was counted, at most 10 seconds ago.'),
  });
/** The next items of a feed. The feed has no end: `next` is always the position to continue from. */
export const EventFeed = <Item extends TObject>(item: Item) =>
  Closed({
    object: Type.Literal('list'),
    data: Type.Array(item, { description: 'The items after the position, at most `size`.' }),
    next: NullableString('Send it as `after` to continue, now or later. Null if there is no item yet.'),
    has_more: Type.Boolean({ description: 'Whether more items can be read now.' }),
  });

/** Functions that make the schema of a whole response from the schema of its item. */
const ENVELOPES: Readonly<Partial<Record<Operation['returns'], (item: TObject) => TObject>>> = {
  list: List,
  cursor_list: CursorList,
  event_feed: EventFeed,
};

export const responseSchema = ({ returns, item }: Pick<Operation, 'returns' | 'item'>): TObject =>
  ENVELOPES[returns]?.(item) ?? item;

/**
 * The schema of a response for the serializer. A field that is an object or null gets the serializer's keyword
 * `nullable` instead of `anyOf`. For `anyOf`, the serializer would validate each object, with the format of each time,
 * before it writes the object. That was half of the time to serialize a page of tanks.
 */
export function serializerSchema(schema: object): object {
  const convert = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(convert);
    if (typeof part !== 'object' || part === null) return part;
    const { anyOf, ...rest } = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, convert(value)]));
    const choices: unknown[] = Array.isArray(anyOf) ? anyOf : [];
    const isNullableObject = choices.map(typeOf).join() === 'object,null';
    if (isNullableObject) return { ...Object(choices[0]), ...rest, nullable: true };
    return anyOf === undefined ? rest : { ...rest, anyOf };
  };
  return Object(convert(schema));
}

const typeOf = (schema: unknown): unknown =>
  typeof schema === 'object' && schema !== null ? Reflect.get(schema, 'type') : undefined;
