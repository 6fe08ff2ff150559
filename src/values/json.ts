export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Undefined for what is not JSON, or not even UTF-8. */
export function parseJson(given: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof given === 'string' ? given : utf8.decode(given));
  } catch {
    return undefined;
  }
}

/** What is nested some thousands deep can be parsed, but not written again: the stack ends before. */
export function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    return '"nested too deeply to be written"';
  }
}
