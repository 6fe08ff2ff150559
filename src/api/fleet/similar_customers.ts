import { type Static, Type } from 'typebox';
import { findSimilarCustomers, MAX_SIMILAR, SAME_PARTS } from '../../status/similar_customers.ts';
import { operation } from '../operation.ts';
import { Closed, Named, NullableString } from '../schemas/values.ts';
import { idParameter, textParameter } from './filters.ts';
import { scopeOf } from './tanks.ts';

const SimilarCustomers = Named('SimilarCustomers', {
  object: Type.Literal('similar_customers'),
  customers: Type.Array(
    Closed({
      id: Type.String({ description: 'ID of the customer.' }),
      name: Type.String({ description: 'Name of the person or business.' }),
      external_key: NullableString("The operator's own number of the customer."),
      email: Type.String({ description: 'E-mail address.' }),
      phone: NullableString('Phone number.'),
      same: Type.Array(Type.Enum([...SAME_PARTS]), { description: 'What is the same or, for the name, similar.' }),
    }),
    { description: `Customers that may be the same, at most ${MAX_SIMILAR}, those with most in common first.` },
  ),
});

const EXAMPLE: Static<typeof SimilarCustomers> = {
  object: 'similar_customers',
  customers: [
    {
      id: '01989f2e-6a3b-7c41-9d52-0b6f1e2a7c90',
      name: 'María López',
      external_key: 'C-1042',
      email: 'maria.lopez@example.com',
      phone: '+52 461 555 0142',
      same: ['phone', 'name'],
    },
  ],
};

const parameters = {
  name: textParameter('Name. Similar names are found too.', 'Maria Lopes'),
  email: textParameter('E-mail address.', 'maria.lopez@example.com'),
  phone: textParameter('Phone number, in any form. Its last eight digits are compared.', '461 555 0142'),
  external_key: textParameter("The operator's own number.", 'C-1042'),
  street: textParameter('Street of a tank. Used only with `street_number`.', 'Hidalgo'),
  street_number: textParameter('House number of a tank.', '52'),
  except: idParameter(
    'The ID of a customer that is not returned, such as the customer that is being edited.',
    'the ID of a customer',
  ),
};

export const findSimilarCustomersOperation = operation({
  path: '/fleet/v1/similar_customers',
  operationId: 'findSimilarCustomers',
  summary: 'Find customers that may be the same',
  description:
    'Finds customers with the same number, phone number, e-mail address or address of a tank, or with a similar name, before one is ' +
    'added twice. Without a parameter it finds none.',
  returns: 'answer',
  item: SimilarCustomers,
  example: EXAMPLE,
  parameters,
  async handle({ readers, caller, parameters: given }) {
    const { except: exceptId, ...typed } = given;
    const customers = await findSimilarCustomers(readers, scopeOf(caller), typed, exceptId);
    return { body: { object: 'similar_customers', customers } };
  },
});
