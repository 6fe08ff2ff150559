/** A field of a parsed JSON value. Undefined if the value is not an object. */
export const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** The text in a field of a parsed JSON value. Null if there is none, or an empty one. */
export function textIn(value: unknown, name: string): string | null {
  const text = field(value, name);
  return typeof text === 'string' && text !== '' ? text : null;
}
