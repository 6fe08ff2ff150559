import type { TObject } from 'typebox';
import type { ImportTarget } from '../../catalog/import_row.ts';
import type { Db } from '../../db/pool.ts';
import type { ParameterError } from '../../http/problem.ts';

/** The values of a line, by the names of imports. */
export type BulkValues = Record<string, unknown>;

/** An object that exists before or after a bulk. */
export interface BulkObject {
  no: number;
  id: string;
  etag: string;
  values: Readonly<BulkValues>;
}

/** The objects that a bulk creates or replaces: the checks and the upsert of imports, with the meaning of PUT. */
export interface BulkTarget {
  import: ImportTarget;
  /** The values that an import of this line would have. What is missing and nullable is null. */
  valuesOf(line: Readonly<BulkValues>): BulkValues;
  /** The errors of this line that PUT would report and the checks of imports do not find. */
  errorsOf?(line: Readonly<BulkValues>): ParameterError[];
  /** The object as GET returns it, if a line may repeat its read-only fields. */
  item?: TObject;
  /** The names of fields in messages, if they differ from those of imports. */
  paths: Readonly<Record<string, string>>;
  /** The columns to write for lines with these values. Lines with the same columns are stored together. */
  columnsOf(values: Readonly<BulkValues>): readonly string[];
  /** The objects that exist, by `keyOf`. */
  find(db: Db, organizationNo: number, rows: readonly BulkValues[]): Promise<Map<string, BulkObject>>;
  keyOf(values: Readonly<BulkValues>): string;
  /** Checks a row against the object that it replaces, and adds what only a new object needs. */
  compare(values: BulkValues, before: BulkObject | undefined): ParameterError[];
}
