import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { writtenForms } from '../../engines/written_forms.ts';

/** Values that must not be in a log. */
export interface ForbiddenValues {
  /** Parts of personal values, such as a name that occurs nowhere else. They are searched for in every encoding. */
  personal: readonly string[];
  /** Secrets of 16 or more letters and digits. They are searched for without other encodings. */
  secrets: ReadonlySet<string>;
  /** Sign-in codes of eight digits. Only texts of a log are searched, because a number, such as a sequence, is not a code. */
  codes: ReadonlySet<string>;
}

export interface Found {
  file: string;
  value: string;
  line: string;
}

const TOKEN = /[\w+/=-]{16,}/g;
/** Eight digits that are not part of a longer word, number or UUID. */
const CODE = /(?<![\w.-])\d{8}(?![\w.-])/g;

export async function searchLogs(
  files: readonly string[],
  { personal, secrets, codes }: ForbiddenValues,
): Promise<{ lines: number; bytes: number; found: Found[] }> {
  const forms = personal.flatMap((value) => writtenForms(value).map((form) => ({ value, form: form.toLowerCase() })));
  const result = { lines: 0, bytes: 0, found: [] as Found[] };
  for (const file of files) {
    for await (const line of createInterface({ input: createReadStream(file) })) {
      result.lines++;
      result.bytes += line.length;
      const folded = line.toLowerCase();
      const values = [
        ...forms.filter(({ form }) => folded.includes(form)).map(({ value }) => value),
        ...(line.match(TOKEN) ?? []).filter((token) => containsSecret(token, secrets)),
        ...textsOf(line)
          .flatMap((text) => text.match(CODE) ?? [])
          .filter((code) => codes.has(code)),
      ];
      for (const value of values) result.found.push({ file, value, line });
    }
  }
  return result;
}

/** Whether the token or a part of it is a secret: a path is `/links/secret`, a cookie is `name=secret`. */
const containsSecret = (token: string, secrets: ReadonlySet<string>): boolean =>
  secrets.has(token) || token.split(/[/=]/).some((part) => secrets.has(part));

/** Returns all texts of a JSON line at any depth, or another line as it is. */
function textsOf(line: string): string[] {
  if (!line.startsWith('{')) return [line];
  const texts: string[] = [];
  try {
    JSON.parse(line, (_name, value: unknown) => {
      if (typeof value === 'string') texts.push(value);
      return value;
    });
    return texts;
  } catch {
    return [line];
  }
}
