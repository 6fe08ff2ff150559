import { isObject, type JsonObject } from './json.ts';

/** Returns the value at a path such as device.lastReading.tank; undefined if there is none. */
export function valueAt(given: unknown, path: string): unknown {
  let value = given;
  for (const key of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/**
 * Returns the elements of the array or object at a path, at most `limit` + 1; undefined if the path does not exist. A `*` stands for
 * every key of an object, or every element of an array.
 */
export function elementsAt(given: unknown, path: string, limit: number): unknown[] | undefined {
  let found: unknown[] = [given];
  for (const key of path.split('.')) {
    const next = found.flatMap((value) => (key === '*' ? elementsOf(value, limit) : [valueAt(value, key)]));
    found = next.filter((value) => value !== undefined).slice(0, limit + 1);
    if (found.length === 0 && next.length > 0) return undefined;
  }
  return found.flatMap((value) => (Array.isArray(value) ? value.slice(0, limit + 1) : [value])).slice(0, limit + 1);
}

function elementsOf(value: unknown, limit: number): unknown[] {
  if (Array.isArray(value)) return value.slice(0, limit + 1);
  return isObject(value) ? Object.values(value).slice(0, limit + 1) : [undefined];
}

/** Builds a message in which `elementsAt` finds these elements at the path, with these values at other paths. */
export function messageAround(
  elements: readonly unknown[],
  path: string,
  values: Readonly<Record<string, unknown>>,
): JsonObject {
  return Object.entries(values).reduce(
    (message, [valuePath, value]) => merge(message, nest(valuePath.split('.'), value)),
    nest(path.split('.'), elements),
  );
}

const nest = ([key = '', ...rest]: readonly string[], value: unknown): JsonObject => ({
  [key]: rest.length === 0 ? value : nest(rest, value),
});

function merge(a: JsonObject, b: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...b };
  for (const [key, value] of Object.entries(a)) {
    const other = merged[key];
    merged[key] = isObject(value) && isObject(other) ? merge(value, other) : value;
  }
  return merged;
}
