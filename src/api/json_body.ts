import { malformed } from '../http/problem.ts';

/** Parses a JSON text. Throws 400 with the given sentence if it is not what the schema describes. */
export function parseBody<Body>(
  schema: { Check(value: unknown): value is Body },
  text: unknown,
  expected: string,
): Body {
  let content: unknown;
  try {
    content = JSON.parse(String(text));
  } catch {
    throw malformed(expected);
  }
  if (!schema.Check(content)) throw malformed(expected);
  return content;
}
