import { type Static, Type } from 'typebox';
import {
  assignProfile,
  listGaugeProfiles,
  listProfileAssignments,
  MAX_GAUGE_PROFILES,
  MAX_PROFILE_ASSIGNMENTS,
  removeGaugeProfile,
  setGaugeProfile,
  unassignProfile,
} from '../../gauges/gauge_changes.ts';
import type { GaugeProfile as ProfileDefinition } from '../../gauges/profiles/profile.ts';
import { GaugeSettings } from '../../gauges/selection.ts';
import { invalidParameters } from '../../http/problem.ts';
import { Named, Nullable } from '../schemas/values.ts';
import { deletion, type ManageOperation, read, write } from './manage_operation.ts';

const definition = Type.Unsafe<object>({
  type: 'object',
  description:
    'How messages are read, as `docs/integrators/devices.md` describes. Its `profile` is the name in the path.',
});
const GaugeProfile = Named('GaugeProfile', {
  object: Type.Literal('gauge_profile'),
  profile: Type.String({ description: 'Its name.' }),
  maker: Type.String({ description: 'Who makes the device.' }),
  device: Type.String({ description: 'Which devices it reads.' }),
  models: Type.Array(Type.String(), { description: 'The models that it reads without an assignment.' }),
  is_own: Type.Boolean({ description: 'Whether the organization has written it. Others come with Tankwatch.' }),
  definition,
});
const PROFILE_EXAMPLE: Static<typeof GaugeProfile> = {
  object: 'gauge_profile',
  profile: 'acme-one',
  maker: 'Acme',
  device: 'One',
  models: ['acme/one'],
  is_own: true,
  definition: {
    profile: 'acme-one',
    maker: 'Acme',
    device: 'One',
    models: ['acme/one'],
    input: 'bytes',
    frames: [{ fields: { percent: { at: 0, type: 'u8' } } }],
  },
};

const settings = Nullable(
  'The settings for devices that send several readings without times. Null: only the newest reading is stored.',
  GaugeSettings.properties,
);
const profile = Type.String({ maxLength: 64, description: 'Name of the profile that reads the messages.' });
const ProfileAssignment = Named('ProfileAssignment', {
  object: Type.Literal('profile_assignment'),
  selector: Type.String({
    description:
      '`topic=oil`, `device=A84041*`, `model=dragino/ldds75` or `application=tanks`. The first that fits counts, in this order.',
  }),
  profile,
  settings,
});
const ASSIGNMENT_EXAMPLE: Static<typeof ProfileAssignment> = {
  object: 'profile_assignment',
  selector: 'device=A84041*',
  profile: 'dragino-ldds75',
  settings: null,
};

const shown = (given: ProfileDefinition, isOwn: boolean): Static<typeof GaugeProfile> => ({
  object: 'gauge_profile',
  profile: given.profile,
  maker: given.maker,
  device: given.device,
  models: given.models ?? [],
  is_own: isOwn,
  definition: given,
});

const common = {
  tag: 'manage gauges',
  allowedCallers: ['key', 'administrator', 'technician'],
} as const;
const writing = { ...common, queue: 'catalog' } as const;
const ofProfile = { path: '/manage/v1/gauge-profiles/:profile', pathParameters: { profile: 'Name of the profile.' } };
const ofAssignment = {
  path: '/manage/v1/profile-assignments/:selector',
  pathParameters: { selector: 'What the profile is assigned to, percent-encoded.' },
};

export const GAUGE_PROFILE_OPERATIONS: readonly ManageOperation[] = [
  read({
    ...common,
    path: '/manage/v1/gauge-profiles',
    operationId: 'listGaugeProfiles',
    summary: 'List profiles of gauges',
    description: 'Returns the profiles of the organization, then those that come with Tankwatch, each by name.',
    item: Named('GaugeProfiles', { object: Type.Literal('list'), data: Type.Array(GaugeProfile) }),
    example: { object: 'list', data: [PROFILE_EXAMPLE] },
    async read({ db, organizationNo }) {
      const profiles = await listGaugeProfiles(db, organizationNo);
      return { status: 200, body: { object: 'list', data: profiles.map((one) => shown(one.definition, one.isOwn)) } };
    },
  }),
  write({
    ...writing,
    ...ofProfile,
    method: 'PUT',
    operationId: 'putGaugeProfile',
    summary: 'Add or replace a profile of gauges',
    description: `Gateways read messages by it within a second. An organization has at most ${MAX_GAUGE_PROFILES} (409).`,
    item: GaugeProfile,
    example: PROFILE_EXAMPLE,
    statuses: [200, 201],
    body: Named('NewGaugeProfile', { definition }),
    async handle({ path, values, ...change }) {
      const stored = await setGaugeProfile(change, values.definition);
      if (stored.profile.profile !== path['profile'])
        throw invalidParameters([
          { param: 'definition', code: 'invalid', detail: 'Its profile must be the name in the path.' },
        ]);
      return { status: stored.isNew ? 201 : 200, body: shown(stored.profile, true) };
    },
  }),
  write({
    ...writing,
    ...ofProfile,
    ...deletion,
    operationId: 'deleteGaugeProfile',
    summary: 'Remove a profile of gauges',
    description: 'A profile that is assigned is not removed (409).',
    async handle({ path, ...change }) {
      await removeGaugeProfile(change, path['profile'] ?? '');
      return { status: 204, body: null };
    },
  }),
  read({
    ...common,
    path: '/manage/v1/profile-assignments',
    operationId: 'listProfileAssignments',
    summary: 'List what profiles are assigned to',
    description: 'Returns all assignments of profiles of gauges, by selector.',
    item: Named('ProfileAssignments', { object: Type.Literal('list'), data: Type.Array(ProfileAssignment) }),
    example: { object: 'list', data: [ASSIGNMENT_EXAMPLE] },
    async read({ db, organizationNo }) {
      const assignments = await listProfileAssignments(db, organizationNo);
      const data = assignments.map(({ selector, profile: name, settings: given }) => ({
        object: 'profile_assignment',
        selector,
        profile: name,
        settings: given,
      }));
      return { status: 200, body: { object: 'list', data } };
    },
  }),
  write({
    ...writing,
    ...ofAssignment,
    method: 'PUT',
    operationId: 'putProfileAssignment',
    summary: 'Assign a profile of gauges',
    description:
      'Messages of the device, model, application or topic are read by the profile within a second. An organization has at most ' +
      `${MAX_PROFILE_ASSIGNMENTS} assignments (409). Without the profile, the answer is 404.`,
    item: ProfileAssignment,
    example: ASSIGNMENT_EXAMPLE,
    statuses: [200, 201],
    body: Named('NewProfileAssignment', { profile, settings: Type.Optional(settings) }),
    async handle({ path, values, ...change }) {
      const { assignment, isNew } = await assignProfile(change, {
        selector: path['selector'] ?? '',
        profile: values.profile,
        settings: values.settings ?? null,
      });
      return { status: isNew ? 201 : 200, body: { object: 'profile_assignment', ...assignment } };
    },
  }),
  write({
    ...writing,
    ...ofAssignment,
    ...deletion,
    operationId: 'deleteProfileAssignment',
    summary: 'Remove an assignment of a profile',
    description: 'Messages are then read as they were before the assignment.',
    async handle({ path, ...change }) {
      await unassignProfile(change, path['selector'] ?? '');
      return { status: 204, body: null };
    },
  }),
];
