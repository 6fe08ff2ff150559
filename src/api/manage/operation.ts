import type { TObject } from 'typebox';
import type { Db, Tx } from '../../db/pool.ts';
import { forbidden, forbiddenRole } from '../../http/problem.ts';
import { type Caller, isOwner } from '../../keys/key_verifier.ts';
import type { DeviceSecretsConfig, LinkSecretsConfig } from '../../settings/secret_settings.ts';
import type { WebhookConfig } from '../../settings/webhook_settings.ts';
import type { ParameterSet, ParameterValues } from '../parameters.ts';
import type { BulkTarget } from './bulk_target.ts';
import type { Condition } from './conditions.ts';
import type { Limited } from './quotas.ts';

/**
 * Who may use an operation: a key with the scope `manage`, a person with one of these roles, or an owner. What an owner may do is
 * limited to the own tanks by the operation itself.
 */
export type Who = 'key' | 'administrator' | 'dispatcher' | 'technician' | 'owner';

interface CommonOperation {
  /** With parameters, such as `/manage/v1/customers/:id`. */
  path: string;
  operationId: string;
  summary: string;
  description: string;
  tag: string;
  /** What the parameters of the path are. */
  pathParameters: Readonly<Record<string, string>>;
  who: readonly Who[];
  parameters: ParameterSet;
  /** The object in the answer, and an example. Null: the answer has no body. */
  item: TObject | null;
  example: object | null;
}

/** An operation of /manage/v1 that reads. It reads the primary, so that a caller sees its own changes. */
export interface ManageRead extends CommonOperation {
  kind: 'read';
  method: 'GET';
  read(request: ReadRequest<ParameterValues<ParameterSet>>): Promise<ManageResponse>;
}

/** An operation of /manage/v1 that changes something, in one transaction. */
export interface ManageWrite extends CommonOperation {
  kind: 'write';
  method: 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** The statuses of success. */
  statuses: readonly (200 | 201 | 202 | 204)[];
  /** Changes of the catalog wait for each other, and for imports. Others do not wait for them. */
  line: 'catalog' | 'other';
  /**
   * Locks the organization before the caller: two people who change each other would wait in a circle, each locked as the caller
   * of the own change.
   */
  locksFirst?: boolean;
  /** Null: a request without a body. */
  body: TObject | null;
  /** The largest body, if it is more than usual. */
  maxBodyBytes?: number;
  /** What counts for a quota if the status is 201. */
  creates?: Limited;
  /** It only computes: its transaction is rolled back, and it needs no Idempotency-Key. */
  storesNothing?: boolean;
  /** Whether If-Match must be sent, may be sent, or means nothing. */
  condition: 'required' | 'optional' | 'none';
  /** What takes time and needs no database, before the transaction. The body is not checked yet. Throws 422. */
  prepare?(request: { body: WriteRequest['body']; webhooks: WebhookConfig }): Promise<void>;
  handle(request: WriteRequest<ParameterValues<ParameterSet>>): Promise<ManageResponse>;
}

/** An operation that creates or replaces many objects, one for each line of the body, in several transactions. */
export interface ManageBulk extends CommonOperation {
  kind: 'bulk';
  method: 'POST';
  /** One line of the body. */
  body: TObject;
  creates: Limited;
  target: BulkTarget;
}

export type ManageOperation = ManageRead | ManageWrite | ManageBulk;

const PATCH_TYPE = 'application/merge-patch+json';
const LINES_TYPE = 'application/x-ndjson';
export const BODY_TYPES = ['application/json', PATCH_TYPE, LINES_TYPE] as const;

/** The type that the body of a request must have. */
export const bodyTypeOf = ({ kind, method }: ManageOperation): (typeof BODY_TYPES)[number] =>
  kind === 'bulk' ? LINES_TYPE : method === 'PATCH' ? PATCH_TYPE : 'application/json';

export interface ReadRequest<Parameters = unknown> {
  db: Db;
  organizationNo: number;
  /** The decoded parameters of the path. */
  path: Readonly<Record<string, string>>;
  parameters: Parameters;
}

export interface WriteRequest<Parameters = unknown> {
  tx: Tx;
  organizationNo: number;
  /** The customer whose session it is. Null for a key and for the people of the organization. */
  ownerNo: number | null;
  path: Readonly<Record<string, string>>;
  parameters: Parameters;
  /** The content of the body, of the types that its schema names. Empty without a body. */
  body: Readonly<Record<string, unknown>>;
  condition: Condition;
  /** The transaction is rolled back. New rows must not use up internal numbers. */
  isDryRun: boolean;
  /** The console roles of the person who asks, or `key`. */
  callerRoles: readonly string[];
  /** From which the passwords of devices are derived. Null: this api does not know them. */
  deviceSecrets: DeviceSecretsConfig | null;
  /** Sign the links of drivers, which begin with this address. Null: this api signs no links. */
  links: (LinkSecretsConfig & { publicUrl: string }) | null;
  /** Encrypts secrets in the database. */
  secretsKey: string;
}

export interface ManageResponse {
  status: 200 | 201 | 202 | 204;
  body: object | null;
  etag?: string;
  /** What the answer describes: deleting it also deletes the stored answer. */
  about?: { object: string; no: number };
}

/** Throws 403 if the caller may not use the operation. A session of a key has no role that may. */
export function checkWho({ who }: Pick<ManageOperation, 'who'>, caller: Caller): void {
  if (isOwner(caller)) checkRoles(who, ['owner']);
  else if (caller.isSession) checkRoles(who, caller.roles);
  else if (!who.includes('key') || !caller.scopes.includes('manage')) throw forbidden('manage');
}

/** Throws 403. `key` stands for a key with the scope `manage`. */
export function checkRoles(who: readonly Who[], roles: readonly string[]): void {
  if (!who.some((one) => roles.includes(one))) throw forbiddenRole();
}
