import type { TObject } from 'typebox';
import type { Statement } from '../../db/readers.ts';
import { notFound } from '../../http/problem.ts';
import { isUuid } from '../../values/uuid7.ts';
import type { Operation } from '../operation.ts';

/** The part of a retrieve operation that differs between resources. */
export interface RetrieveDefinition {
  path: string;
  operationId: string;
  object: 'customer' | 'tank';
  item: TObject;
  example: object;
  /**
   * Parameters: $1 the caller's organization, $2 the customer of a narrowed key or null, $3 the id. Returns the item and
   * the column `deleted`.
   */
  statement: Statement;
}

type RetrievedRow = { id: string; object: string; deleted: boolean };

export function retrieveOperation({
  path,
  operationId,
  object,
  item,
  example,
  statement,
}: RetrieveDefinition): Operation {
  return {
    path,
    operationId,
    summary: `Retrieve a ${object}`,
    description: `For a deleted ${object}, returns only \`id\`, \`object\` and \`deleted\`.`,
    idOf: object,
    returns: 'object',
    item,
    example,
    parameters: {},
    async handle({ readers, caller, id }) {
      if (!isUuid(id)) throw notFound(object);
      const [row] = await readers.query<RetrievedRow>(statement, [caller.organizationNo, caller.customerNo, id]);
      if (row === undefined) throw notFound(object);
      if (row.deleted) return { body: { id: row.id, object: row.object, deleted: true }, isDeleted: true };
      return { body: row };
    },
  };
}
