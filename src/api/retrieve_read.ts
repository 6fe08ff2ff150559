import type { TObject } from 'typebox';
import type { Statement } from '../db/readers.ts';
import { notFound } from '../http/problem.ts';
import { isUuid } from '../values/uuid7.ts';
import type { Read } from './read.ts';

export interface RetrieveDefinition {
  path: string;
  operationId: string;
  object: 'customer' | 'tank';
  item: TObject;
  example: object;
  /** Parameters: $1 the caller's organization, $2 its customer or null, $3 the id. Yields `deleted` beside the item. */
  statement: Statement;
}

type RetrievedRow = { id: string; object: string; deleted: boolean };

export function retrieveRead({ path, operationId, object, item, example, statement }: RetrieveDefinition): Read {
  return {
    path,
    operationId,
    summary: `Retrieve a ${object}`,
    description: `A deleted ${object} answers with its id and \`deleted\`, and nothing else.`,
    idOf: object,
    answers: 'object',
    item,
    example,
    parameters: {},
    async answer({ readers, caller, id }) {
      if (!isUuid(id)) throw notFound(object);
      const [row] = await readers.query<RetrievedRow>(statement, [caller.organizationNo, caller.customerNo, id]);
      if (row === undefined) throw notFound(object);
      if (row.deleted) return { body: { id: row.id, object: row.object, deleted: true }, isDeleted: true };
      return { body: row };
    },
  };
}
