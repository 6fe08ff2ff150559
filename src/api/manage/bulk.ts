import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { DuplicateRows } from '../../catalog/duplicate_rows.ts';
import type { ImportRow } from '../../catalog/import_row.ts';
import type { Tx } from '../../db/pool.ts';
import { invalidParameters, listedErrors, malformed, type ParameterError, Problem } from '../../http/problem.ts';
import type { JsonObject } from '../../values/json.ts';
import type { RowError } from '../../values/row_error.ts';
import { uuid7 } from '../../values/uuid7.ts';
import { checkBody, parseJsonObject, parseValues, sentence } from './body_values.ts';
import type { BulkTarget, BulkValues } from './bulk_target.ts';
import type { ManageBulk } from './manage_operation.ts';
import { problemOfChange } from './refusals.ts';
import { repeatErrors, splitRepeated } from './repeated_fields.ts';

export const MAX_LINES = 10_000;
/** Four times the limit of the body of a PUT, and more than any object needs. */
export const MAX_LINE_BYTES = 65_536;
/**
 * The number of lines of a transaction. Other changes of the organization wait for the transaction, 10 s at most, so it
 * should take about a second even on a slow machine.
 */
const LINES_PER_TRANSACTION = { min: 100, first: 500, max: 2_000 };
const TRANSACTION_MS = 1_000;
/** Lines by a second key are stored one by one, with about nine statements each. */
const SECOND_KEYS_PER_TRANSACTION = 100;
/** The number of lines that are parsed in one iteration of the event loop, in about 2 ms. */
const LINES_PER_ITERATION = 200;
const CHARACTERS_PER_ITERATION = 65_536;

interface Line {
  number: number;
  /** The line without read-only fields. */
  written: JsonObject;
  values: BulkValues;
  /** The read-only fields that the line repeats. */
  repeated: JsonObject;
  errors: ParameterError[];
}

/** The keys and ids of the objects that the lines of a request have changed so far, in all transactions. */
interface Named {
  keys: DuplicateRows;
  ids: Set<string>;
}

type Status = 'created' | 'updated' | 'unchanged' | 'refused';

export interface BulkOptions {
  organizationNo: number;
  isDryRun: boolean;
  /** Whether the client no longer waits for the response. */
  isClientGone(): boolean;
  /** Throws 409 if these new objects are more than the organization may have. */
  checkQuota: (tx: Tx, created: number) => Promise<void>;
  /** Runs a transaction that has locked the organization. A dry run is rolled back. */
  change<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/**
 * Creates or replaces an object for each line. Lines with errors are refused, the other lines are stored. If a
 * transaction fails, the request fails, but the transactions before it stay, and sending the same lines again stores
 * the rest. If the client is gone, no further transaction begins, because the client may have sent other lines in the
 * meantime.
 */
export async function putLines(
  { body, target }: ManageBulk,
  text: string,
  options: BulkOptions,
): Promise<{ text: string; hasRefused: boolean }> {
  const texts = text.split('\n', MAX_LINES + 2).map((line) => line.replace(/\r$/, '')); // never at U+2028, which JSON may contain
  if (texts.at(-1) === '') texts.pop();
  if (texts.length === 0) throw malformed('The body must have at least one line.');
  if (texts.length > MAX_LINES) throw malformed(`The body must have at most ${MAX_LINES} lines.`);
  const lines: Line[] = [];
  let charactersOfIteration = 0;
  for (const [at, lineText] of texts.entries()) {
    charactersOfIteration += lineText.length;
    if (at % LINES_PER_ITERATION === LINES_PER_ITERATION - 1 || charactersOfIteration > CHARACTERS_PER_ITERATION) {
      await nextTurn();
      charactersOfIteration = lineText.length;
    }
    lines.push(parseLine(body, target, lineText, at + 1));
  }
  const named: Named = { keys: new DuplicateRows(target.import.uniqueKeys), ids: new Set() };
  const results: string[] = [];
  const summary: Record<Status, number> = { created: 0, updated: 0, unchanged: 0, refused: 0 };
  let size = LINES_PER_TRANSACTION.first;
  for (let at = 0; at < lines.length; ) {
    let beganMs = 0;
    const { batch, outcomes } = await options.change(async (tx) => {
      beganMs = performance.now();
      if (options.isClientGone()) throw malformed('The connection was closed before all lines were stored.');
      return putBatch(tx, target, lines.slice(at, at + size), named, options);
    });
    at += batch.length;
    size = nextBatchSize(batch.length, performance.now() - beganMs);
    for (const line of batch) {
      const after = outcomes.get(line);
      const status = after?.status ?? 'refused';
      summary[status]++;
      results.push(
        JSON.stringify({
          line: line.number,
          status,
          id: after?.id ?? null,
          etag: after?.etag ?? null,
          errors: line.errors,
        }),
      );
    }
  }
  results.push(JSON.stringify({ summary }));
  return { text: `${results.join('\n')}\n`, hasRefused: summary.refused > 0 };
}

/** The number of lines that take about a second, if each line takes as long as the lines of the last batch. */
export function nextBatchSize(lines: number, tookMs: number): number {
  const { min, max } = LINES_PER_TRANSACTION;
  return Math.min(max, Math.max(min, Math.floor((lines * TRANSACTION_MS) / Math.max(1, tookMs))));
}

function parseLine(body: ManageBulk['body'], target: BulkTarget, text: string, number: number): Line {
  const malformedLine = (detail: string): Line => ({
    number,
    written: {},
    values: {},
    repeated: {},
    errors: [{ param: '', code: 'malformed', detail }],
  });
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_LINE_BYTES)
    return malformedLine(
      `The line has ${bytes} bytes, and may have ${MAX_LINE_BYTES}. Put each object on a line of its own, and end the line with \\n.`,
    );
  let content: Readonly<BulkValues>;
  try {
    content = parseJsonObject(text, 'line');
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return malformedLine(error.message);
  }
  const { written, repeated } = splitRepeated(content, body, target.item);
  const checked = checkBody(body, written);
  if ('errors' in checked) return { number, written, values: {}, repeated: {}, errors: listedErrors(checked.errors) };
  const paths = pathsOf(target, written);
  const { values, errors } = parseValues(target.import.fields, target.valuesOf(written), paths);
  errors.push(...(target.errorsOf?.(written) ?? []));
  // A key of only blanks was parsed as null, like an empty text.
  for (const name of target.requiredOf?.(values) ?? target.import.requiredColumns)
    if (values[name] === null || values[name] === '')
      errors.push({ param: paths[name] ?? name, code: 'invalid', detail: 'Must not be empty.' });
  return { number, written, values, repeated, errors };
}

interface Outcome {
  id: string;
  etag: string;
  status: Status;
}

/**
 * Stores the good lines of a batch, which is as many of the given lines as one transaction may have. Returns the batch
 * and the outcomes of the stored lines. Adds errors to the refused lines.
 */
async function putBatch(
  tx: Tx,
  target: BulkTarget,
  lines: readonly Line[],
  named: Named,
  options: BulkOptions,
): Promise<{ batch: readonly Line[]; outcomes: Map<Line, Outcome> }> {
  const { organizationNo, isDryRun } = options;
  const apart = (await target.secondKey?.choose(tx, organizationNo, goodValues(lines))) ?? new Map();
  const isApart = ({ values }: Line): boolean => apart.has(values);
  const next = lines.filter(isApart)[SECOND_KEYS_PER_TRANSACTION];
  const batch = next === undefined ? lines : lines.slice(0, lines.indexOf(next));
  const bySecondKey = batch.filter(isApart);
  const byFirstKey = batch.filter((line) => !isApart(line));
  await checkLines(tx, target, organizationNo, byFirstKey);
  const before = await target.find(tx, organizationNo, goodValues(byFirstKey));
  const idsApart = new Set(bySecondKey.map(({ values }) => apart.get(values)));
  for (const line of byFirstKey) {
    if (line.errors.length > 0) continue;
    const old = before.get(target.keyOf(line.values));
    const object = old && { ...old.values, etag: old.etag };
    line.errors.push(...target.compare(line.values, old), ...repeatErrors(line.repeated, object));
    if (old && idsApart.has(old.id)) line.errors.push(NAMED_TWICE);
    if (line.errors.length === 0) line.errors.push(...namedErrors(target, named, line.written, line.values, old));
    // Only a line that is not refused claims its keys.
    if (line.errors.length === 0) named.keys.add(line.values);
  }

  const stored = goodValues(byFirstKey);
  for (const [, rows] of Map.groupBy(stored, (values) => target.columnsOf(values).join())) {
    const [first = {}] = rows;
    await target.import.upsert(tx, organizationNo, {
      rowTexts: rows.map((values) => JSON.stringify({ ...values, id: uuid7() })),
      given: target.columnsOf(first),
      isDryRun,
    });
  }
  const after = await target.find(tx, organizationNo, stored);
  const outcomes = new Map<Line, Outcome>();
  for (const line of byFirstKey) {
    if (line.errors.length > 0) continue;
    const key = target.keyOf(line.values);
    const now = after.get(key);
    if (now === undefined) throw new TypeError('a line of a bulk was not stored');
    outcomes.set(line, outcomeOf(before.get(key), now));
  }
  for (const line of bySecondKey) {
    const outcome = await putBySecondKey(tx, target, line, named, options);
    if (outcome !== undefined) outcomes.set(line, outcome);
  }
  for (const { id } of outcomes.values()) named.ids.add(id);
  await options.checkQuota(
    tx,
    outcomes.values().reduce((sum, { status }) => sum + (status === 'created' ? 1 : 0), 0),
  );
  return { batch, outcomes };
}

/**
 * The error of a line whose object another line of the request changes by another key. In one transaction, lines by the
 * first key are stored before the others, so the order of the two lines would be lost.
 */
const NAMED_TWICE: ParameterError = {
  param: '',
  code: 'conflict',
  detail: 'Another line changes the same object by another key. Send one of them, or send this one again.',
};

/** The errors of a line that names the same object as an earlier line, by the same or by another key. */
function namedErrors(
  target: BulkTarget,
  { keys, ids }: Named,
  written: JsonObject,
  values: BulkValues,
  before: { id: string } | undefined,
): ParameterError[] {
  const repeats = parameterErrors(target, written, keys.repeats(values));
  return repeats.length === 0 && before && ids.has(before.id) ? [NAMED_TWICE] : repeats;
}

const goodValues = (lines: readonly Line[]): BulkValues[] =>
  lines.filter(({ errors }) => errors.length === 0).map(({ values }) => values);

function outcomeOf(old: { etag: string } | undefined, { id, etag }: { id: string; etag: string }): Outcome {
  return { id, etag, status: old === undefined ? 'created' : old.etag === etag ? 'unchanged' : 'updated' };
}

/**
 * Stores a line as PUT does. Undefined if the line is refused. Then nothing was changed, because PUT refuses before its
 * first change.
 */
async function putBySecondKey(
  tx: Tx,
  target: BulkTarget,
  { written, repeated, values, errors }: Line,
  named: Named,
  { organizationNo, isDryRun }: BulkOptions,
): Promise<Outcome | undefined> {
  const { secondKey } = target;
  if (secondKey === undefined) return undefined;
  const key = { [secondKey.column]: values[secondKey.column] };
  const check = (before: { id: string; etag: string } | undefined): void => {
    const found = repeatErrors(repeated, before);
    if (found.length === 0) found.push(...namedErrors(target, named, written, key, before));
    if (found.length > 0) throw invalidParameters(found);
  };
  try {
    const { before, after } = await secondKey.put(tx, organizationNo, written, { isDryRun, check });
    named.keys.add(key);
    return outcomeOf(before, after);
  } catch (error) {
    const problem = problemOfChange(error);
    // After an error of the database, no further statement of the transaction can succeed.
    if (error instanceof DatabaseError || !(problem instanceof Problem)) throw error;
    errors.push(...(problem.errors ?? [{ param: '', code: problem.code, detail: problem.message }]));
    return undefined;
  }
}

/** Runs the checks of imports inside the transaction, so that nothing can change between the checks and the upsert. */
async function checkLines(tx: Tx, target: BulkTarget, organizationNo: number, lines: readonly Line[]): Promise<void> {
  const rows: (ImportRow & { of: Line })[] = lines
    .filter(({ errors }) => errors.length === 0)
    .map((line) => ({ of: line, line: line.number, cells: [], values: line.values, errors: [] }));
  await target.import.check(tx, organizationNo, rows);
  for (const { of, errors } of rows) of.errors.push(...parameterErrors(target, of.written, errors));
}

const pathsOf = (target: BulkTarget, line: JsonObject): Readonly<Record<string, string>> => ({
  ...target.paths,
  ...target.pathsOf?.(line),
});

/** Converts errors of rows. The texts of cells are not repeated, because they can be personal data. */
function parameterErrors(target: BulkTarget, line: JsonObject, errors: readonly RowError[]): ParameterError[] {
  const paths = pathsOf(target, line);
  return errors.map(({ column, problem }) => ({
    param: paths[column ?? ''] ?? column ?? '',
    code: 'invalid',
    detail: sentence(problem),
  }));
}
