import { Type } from 'typebox';
import { readManagedSettings, updateOrganization } from '../../catalog/organizations.ts';
import { PRODUCT_NAMES } from '../../values/products.ts';
import { Named, optional } from '../schemas/values.ts';
import { type ManageOperation, write } from './manage_operation.ts';

const settings = {
  default_product: Type.Enum([...PRODUCT_NAMES], { description: 'The product of tanks that have none of their own.' }),
  reports_unusual_use: Type.Boolean({
    description:
      'Whether unusual use of tanks is reported: as the event `tank.unusual_use`, and as a section of the day. What was reported before stays.',
  }),
};

/** The settings that administrators may change. `GET /fleet/v1/settings` returns them with those of the operator. */
export const ORGANIZATION_OPERATIONS: readonly ManageOperation[] = [
  write({
    method: 'PATCH',
    path: '/manage/v1/organization',
    operationId: 'updateOrganization',
    summary: 'Change the settings of the organization',
    description: 'Changes the given settings of the organization of the caller (JSON Merge Patch, RFC 7396).',
    tag: 'manage organization',
    allowedCallers: ['key', 'administrator'],
    queue: 'catalog',
    item: Named('OrganizationSettings', { object: Type.Literal('organization'), ...settings }),
    example: { object: 'organization', default_product: 'propane', reports_unusual_use: false },
    body: Named('OrganizationPatch', optional(settings)),
    async handle({ tx, organizationNo, values: { default_product, reports_unusual_use } }) {
      await updateOrganization(tx, organizationNo, {
        ...(default_product !== undefined && { defaultProduct: default_product }),
        ...(reports_unusual_use !== undefined && { reportsUnusualUse: reports_unusual_use }),
      });
      return { status: 200, body: { object: 'organization', ...(await readManagedSettings(tx, organizationNo)) } };
    },
  }),
];
