import { Type } from 'typebox';
import { updateOrganization } from '../../catalog/organizations.ts';
import { type ManageOperation, write } from './operation.ts';
import { dryRun } from './parameters.ts';

const closed = { additionalProperties: false };
const reports_unusual_use = Type.Boolean({
  description:
    'Whether unusual use of tanks is reported: as the event `tank.unusual_use`, and as a section of the day. What was reported before stays.',
});

/** `GET /fleet/v1/settings` returns the settings. Those that only an operator may change are not here. */
export const ORGANIZATION_OPERATIONS: readonly ManageOperation[] = [
  write({
    method: 'PATCH',
    path: '/manage/v1/organization',
    pathParameters: {},
    operationId: 'updateOrganization',
    summary: 'Change the settings of the organization',
    description: 'Changes the settings of the organization of the caller.',
    tag: 'manage organization',
    allowedCallers: ['key', 'administrator'],
    queue: 'catalog',
    parameters: { dry_run: dryRun },
    item: Type.Object(
      { object: Type.Literal('organization'), reports_unusual_use },
      { title: 'OrganizationSettings', ...closed },
    ),
    example: { object: 'organization', reports_unusual_use: false },
    statuses: [200],
    body: Type.Object({ reports_unusual_use }, { title: 'OrganizationPatch', ...closed }),
    condition: 'none',
    async handle({ tx, organizationNo, values: { reports_unusual_use: reportsUnusualUse } }) {
      await updateOrganization(tx, organizationNo, { reportsUnusualUse });
      return { status: 200, body: { object: 'organization', reports_unusual_use: reportsUnusualUse } };
    },
  }),
];
