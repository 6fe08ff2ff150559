import type { TObject } from 'typebox';
import type { Readers } from '../db/readers.ts';
import type { Caller } from '../keys/key_verifier.ts';
import type { FollowReadings } from '../status/reading_followers.ts';
import type { LiveStreams } from './live/live_streams.ts';
import type { OpenExports } from './open_exports.ts';
import type { ParameterSet, ParameterValues } from './parameters.ts';

/** One operation of /v1 or /fleet/v1, as data. The router, the OpenAPI document and the tests use the same definitions. */
export interface Operation {
  path: string;
  operationId: string;
  summary: string;
  description: string;
  /**
   * One page of a list; one page of a list whose order changes, with cursors; the next events; one object, which may be
   * deleted; a result that is never deleted; a CSV file of items; or a stream of server-sent events.
   */
  returns: 'list' | 'cursor_list' | 'event_feed' | 'object' | 'answer' | 'csv' | 'event_stream';
  /** The schema of the object, result or list item. It drives the serializer and the OpenAPI document. */
  item: TObject;
  example: object;
  /** The kind of object that `:id` in the path identifies. */
  idOf?: string;
  /** True to read on the primary even if there are replicas. */
  readsPrimary?: boolean;
  /** True if the header Tankwatch-Zone always says the zone of its days or local times. */
  hasLocalTimes?: boolean;
  /** True if a cursor can become invalid for good: 410. */
  canBeGone?: boolean;
  parameters: ParameterSet;
  handle(request: OperationRequest<ParameterValues<ParameterSet>>): Promise<OperationResponse>;
}

export interface OperationRequest<Values = unknown> {
  readers: Readers;
  caller: Caller;
  id: string;
  parameters: Values;
  /** The zone in which days of the parameters begin. Undefined if there is none. */
  dayZone?: string | undefined;
  /** The requested path and the unparsed parameters, used to build the Link header. */
  path: string;
  given: URLSearchParams;
  /** Rejects when the key or the session has ended. A response of several parts calls it before each of them. */
  reauthorize: () => Promise<unknown>;
  /** For CSV files. */
  exports: OpenExports;
  /** Records that the organization of the caller follows its readings. */
  followReadings: FollowReadings;
  /** The open streams, which last as long as the caller may read. */
  streams?: LiveStreams;
}

export interface OperationResponse {
  body: object;
  isDeleted?: boolean;
  headers?: Readonly<Record<string, string>>;
}
