import type { TObject } from 'typebox';
import type { ImportTarget } from '../../catalog/import_row.ts';
import type { Db, Tx } from '../../db/pool.ts';
import type { ParameterError } from '../../http/problem.ts';
import type { JsonObject } from '../../values/json.ts';

/** The values of a line, by the column names of imports. */
export type BulkValues = Record<string, unknown>;

/** An object that exists before or after a bulk. */
export interface BulkObject {
  no: number;
  id: string;
  etag: string;
  values: Readonly<BulkValues>;
}

/**
 * A second key by which lines can name their object. Such lines are stored one by one, after the other lines of their
 * transaction.
 */
export interface SecondKey {
  column: string;
  /**
   * The lines that cannot be stored by the first key, each with the ID of the object that has its second key, if any.
   */
  choose(
    db: Db,
    organizationNo: number,
    rows: readonly BulkValues[],
  ): Promise<ReadonlyMap<BulkValues, string | undefined>>;
  /** Does what PUT by this key does. `check` gets the object that the line replaces, and may throw. */
  put(
    tx: Tx,
    organizationNo: number,
    line: JsonObject,
    options: { isDryRun: boolean; check: (before: { id: string; etag: string } | undefined) => void },
  ): Promise<{ before: { etag: string } | undefined; after: { id: string; etag: string } }>;
}

/**
 * A kind of objects that a bulk creates or replaces. Uses the checks and the upsert of imports, with the rules of PUT.
 */
export interface BulkTarget {
  import: ImportTarget;
  /** The values that an import of this line would have. A missing field is null if the line empties it. */
  valuesOf(line: Readonly<BulkValues>): BulkValues;
  /** The errors of this line that PUT would report and the checks of imports do not find. */
  errorsOf?(line: Readonly<BulkValues>): ParameterError[];
  /** The object as GET returns it, if a line may repeat its read-only fields. */
  item?: TObject;
  /** The names of fields in messages, if they differ from those of imports. */
  paths: Readonly<Record<string, string>>;
  /** The names of fields in messages that depend on the line, such as owner_id or owner_external_key. */
  pathsOf?(line: JsonObject): Readonly<Record<string, string>>;
  /** The columns to write for lines with these values. Lines with the same columns are stored together. */
  columnsOf(values: Readonly<BulkValues>): readonly string[];
  /** The objects that exist, by `keyOf`. */
  find(db: Db, organizationNo: number, rows: readonly BulkValues[]): Promise<Map<string, BulkObject>>;
  keyOf(values: Readonly<BulkValues>): string;
  secondKey?: SecondKey;
  /** The columns of imports that this line must have. If undefined, all required columns. */
  requiredOf?(values: Readonly<BulkValues>): readonly string[];
  /** Checks a row against the object that it replaces. `before` is undefined for a new object. */
  compare(values: BulkValues, before: BulkObject | undefined): ParameterError[];
}
