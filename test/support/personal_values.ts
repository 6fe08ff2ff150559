import { writtenForms } from '../../engines/written_forms.ts';

/** The values that occur in a text, in any written form, in upper or lower case. */
export function findValues(text: string, values: readonly string[]): string[] {
  const folded = text.toLowerCase();
  return values.filter((value) => writtenForms(value).some((form) => folded.includes(form.toLowerCase())));
}

/** The rows of a plain dump by table, without the statements of the schema. */
export function tablesOfDump(dump: string): Map<string, string> {
  const tables = new Map<string, string>();
  for (const [, table = '', rows = ''] of dump.matchAll(/^COPY (\S+) \(.*?\) FROM stdin;\n(.*?)^\\\.$/gms))
    tables.set(table, rows);
  return tables;
}
