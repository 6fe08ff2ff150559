import type { ImportReport } from '@tankwatch/client';
import type { IMPORT_TEXTS } from '../translations/imports.ts';

/** The names of the fields. In a file of customers, the field `name` is the name of the customer. */
export const fieldNames = (
  { fields }: (typeof IMPORT_TEXTS)['en'],
  what: ImportReport['what'],
): Readonly<Record<string, string>> => (what === 'customers' ? { ...fields, name: fields.name_of_customer } : fields);
