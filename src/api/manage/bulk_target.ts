import type { TObject } from 'typebox';
import type { ImportTarget } from '../../catalog/import_row.ts';
import type { Db, Tx } from '../../db/pool.ts';
import type { ParameterError } from '../../http/problem.ts';
import type { JsonObject } from '../../values/json.ts';

/** The values of a line, by the names of imports. */
export type BulkValues = Record<string, unknown>;

/** An object that exists before or after a bulk. */
export interface BulkObject {
  no: number;
  id: string;
  etag: string;
  values: Readonly<BulkValues>;
}

/** Lines that name their object by a second key. They are stored one by one, after the other lines of their transaction. */
export interface SecondKey {
  column: string;
  /** The lines that cannot be stored by the first key, each with the ID of the object that has their second key. */
  choose(
    db: Db,
    organizationNo: number,
    rows: readonly BulkValues[],
  ): Promise<ReadonlyMap<BulkValues, string | undefined>>;
  /** Does what PUT by this key does. `check` gets the object that the line replaces, and throws. */
  put(
    tx: Tx,
    organizationNo: number,
    line: JsonObject,
    options: { isDryRun: boolean; check: (before: { id: string; etag: string } | undefined) => void },
  ): Promise<{ before: { etag: string } | undefined; after: { id: string; etag: string } }>;
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
  /** The names that this line has given to fields that can have several. */
  pathsOf?(line: JsonObject): Readonly<Record<string, string>>;
  /** The columns to write for lines with these values. Lines with the same columns are stored together. */
  columnsOf(values: Readonly<BulkValues>): readonly string[];
  /** The objects that exist, by `keyOf`. */
  find(db: Db, organizationNo: number, rows: readonly BulkValues[]): Promise<Map<string, BulkObject>>;
  keyOf(values: Readonly<BulkValues>): string;
  secondKey?: SecondKey;
  /** The columns of imports that this line must have, if not all required ones. */
  requiredOf?(values: Readonly<BulkValues>): readonly string[];
  /** Checks a row against the object that it replaces, and adds what only a new object needs. */
  compare(values: BulkValues, before: BulkObject | undefined): ParameterError[];
}
