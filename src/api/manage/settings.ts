import { Type } from 'typebox';
import { readProductSettings, updateOrganization } from '../../catalog/organizations.ts';
import { PRODUCT_NAMES } from '../../values/products.ts';
import { type ManageOperation, write } from './operation.ts';
import { dryRun } from './parameters.ts';

const closed = { additionalProperties: false };
const settings = {
  default_product: Type.Enum([...PRODUCT_NAMES], { description: 'What is in tanks that name no product.' }),
};

export const SETTINGS_OPERATIONS: readonly ManageOperation[] = [
  write({
    method: 'PATCH',
    path: '/manage/v1/settings',
    pathParameters: {},
    operationId: 'updateSettings',
    summary: 'Change settings of the organization',
    description:
      'Changes the given settings (JSON Merge Patch, RFC 7396). `GET /fleet/v1/settings` has them all. The command ' +
      '`tankwatch organizations update` changes the others.',
    tag: 'manage tanks',
    allowedCallers: ['key', 'administrator'],
    queue: 'catalog',
    parameters: { dry_run: dryRun },
    item: Type.Object(
      { object: Type.Literal('organization_settings'), ...settings },
      { title: 'OrganizationSettings', ...closed },
    ),
    example: { object: 'organization_settings', default_product: 'propane' },
    statuses: [200],
    body: Type.Partial(Type.Object(settings), { title: 'OrganizationSettingsPatch', ...closed }),
    condition: 'none',
    async handle({ tx, organizationNo, values: { default_product: defaultProduct } }) {
      if (defaultProduct !== undefined) await updateOrganization(tx, organizationNo, { defaultProduct });
      const body = { object: 'organization_settings', ...(await readProductSettings(tx, organizationNo)) };
      return { status: 200, body };
    },
  }),
];
