import { type Static, type TObject, Type } from 'typebox';

// Nullable types are type arrays, not anyOf: the compiled serialiser is much faster with type arrays.
export const NullableString = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description });
export const NullableNumber = (description: string) =>
  Type.Unsafe<number | null>({ type: ['number', 'null'], description });
export const NullableTime = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description });
export const Time = (description: string) => Type.String({ format: 'date-time', description });

/** A deleted object. */
export const Deleted = <Name extends string>(object: Name) =>
  Type.Object(
    { id: Type.String(), object: Type.Literal(object), deleted: Type.Literal(true) },
    { title: `Deleted ${object}`, additionalProperties: false },
  );

export const List = <Item extends TObject>(item: Item) =>
  Type.Object(
    {
      object: Type.Literal('list'),
      data: Type.Array(item, {
        description: 'The objects of this page, at most `size`. Empty if the page is past the end.',
      }),
      page: Type.Integer({ description: 'Number of this page.' }),
      size: Type.Integer({ description: 'Maximum number of objects on a page.' }),
      total_pages: Type.Integer({ description: 'Number of pages. 0 if no object matches.' }),
      total_items: Type.Integer({ description: 'Number of objects that match, on all pages.' }),
    },
    { additionalProperties: false },
  );
export type List<Item> = Omit<Static<ReturnType<typeof List>>, 'data'> & { data: Item[] };
