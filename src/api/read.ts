import type { TObject } from 'typebox';
import type { Readers } from '../db/readers.ts';
import type { Caller } from '../keys/key_verifier.ts';
import type { ParameterSet, ParameterValues } from './parameters.ts';

/**
 * One of the reads under /v1, as data: the router, the API reference and the tests all go through the same list of
 * these.
 */
export interface Read {
  path: string;
  operationId: string;
  summary: string;
  description: string;
  /** A page of objects, or one object that may have been deleted. */
  answers: 'list' | 'object';
  /** The object's schema; it drives the serialiser and the API reference. */
  item: TObject;
  example: object;
  /** What the path's :id names, where it has one. */
  idOf?: string;
  parameters: ParameterSet;
  answer(call: ReadRequest<ParameterValues<ParameterSet>>): Promise<ReadResponse>;
}

export interface ReadRequest<Values = unknown> {
  readers: Readers;
  caller: Caller;
  id: string;
  parameters: Values;
  /** The path asked for, and the parameters as they were written: for links. */
  path: string;
  given: URLSearchParams;
}

export interface ReadResponse {
  body: object;
  isDeleted?: boolean;
  headers?: Readonly<Record<string, string>>;
}
