import { type Static, Type } from 'typebox';
import {
  createConnector,
  findAddressProblem,
  MAX_BACKFILL_DAYS,
  removeConnector,
  requestTrial,
  updateConnector,
} from '../../connectors/connector_changes.ts';
import { CONNECTOR_KINDS, type ConnectorKind } from '../../connectors/connector_settings.ts';
import {
  type Connector as ConnectorObject,
  existingConnector,
  listConnectors,
  MAX_CONNECTORS,
} from '../../connectors/connectors.ts';
import { SHOWN_HOURS } from '../../connectors/hours_of_source.ts';
import type { Db } from '../../db/pool.ts';
import { invalidParameters } from '../../http/problem.ts';
import type { AddressConfig } from '../../settings/address_settings.ts';
import { etagOf } from '../../values/etag.ts';
import { Closed, Named, Nullable, NullableString, NullableTime, optional, Time } from '../schemas/values.ts';
import { sentence } from './body_values.ts';
import { compare } from './conditions.ts';
import {
  deletion,
  type ManageOperation,
  type ManageResponse,
  read,
  respondWith,
  withEtag,
  write,
} from './manage_operation.ts';

const kind = Type.Enum([...CONNECTOR_KINDS], {
  description:
    '`otodata` and `tank_utility` are clouds of makers, `json` any API that answers JSON, `mqtt` a broker; `nws` and `dwd` are weather services, `weather_csv` any file of temperatures; `home_assistant` is a broker to which levels are published.',
});
const name = Type.String({
  maxLength: 100,
  description: 'Its name, which no other connector of the organization has.',
});
const settings = Type.Unsafe<object>({
  type: 'object',
  description: 'Where and how it is asked, as `docs/operators/sources.md` describes for each kind. Without the secret.',
});
const secret = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description:
    'Key or password of the account at the source; `user:password` for Tank Utility. It is stored encrypted and never returned.',
});
const paused = Type.Boolean({ description: 'True if the source is not asked.' });

const Connector = Named('Connector', {
  id: Type.String({ description: 'ID of the connector.' }),
  object: Type.Literal('connector'),
  kind,
  name,
  settings,
  has_secret: Type.Boolean({ description: 'Whether it has a secret. Read-only.' }),
  state: Type.Enum(['works', 'starting', 'failing', 'down', 'refused', 'paused'], {
    description:
      '`down`: it has failed for 15 minutes. `refused`: its key is not accepted, and it is not tried again. Read-only.',
  }),
  paused_at: NullableTime('When it was paused. Null: it is not. Read-only.'),
  down_since: NullableTime('Since when it is down or refused. Meanwhile its devices are not silent. Read-only.'),
  last_error: NullableString('Why the last attempt failed. Null: it worked. Read-only.'),
  last_attempt_at: NullableTime('When it was last asked. Read-only.'),
  last_success_at: NullableTime('When all new readings were last read. Read-only.'),
  next_attempt_at: NullableTime('When it is asked next. Null: it is not asked. Read-only.'),
  read_up_to: NullableTime('Readings up to this time are read. Null: it has no history. Read-only.'),
  backfill_from: NullableTime('Older readings since this time are still being read. Null: all are read. Read-only.'),
  devices: Type.Integer({
    description: 'Number of devices that it has reported, of places with weather, or of published tanks. Read-only.',
  }),
  tanks: Type.Integer({
    description: 'How many of these devices are on a tank, or tanks with this weather. Read-only.',
  }),
  last_try: Nullable('What the last try has found. Null: it was not tried. Read-only.', {
    at: Time('When it was tried.'),
    works: Type.Boolean({ description: 'Whether it answered as expected.' }),
    devices: Type.Integer({ description: 'Devices in the answer, or places with weather.' }),
    devices_on_tanks: Type.Integer({ description: 'How many of them are on a tank.' }),
    readings: Type.Integer({ description: 'Readings or temperatures in the answer. None of them is stored.' }),
    error: NullableString('What was wrong. Null: nothing.'),
  }),
  hours: Type.Array(
    Closed({
      at: Time('When the hour began.'),
      readings: Type.Integer({
        description: 'Readings that it brought. A source without history repeats its last ones.',
      }),
      successes: Type.Integer({ description: 'How often all new readings were read.' }),
      failures: Type.Integer({ description: 'How often it failed.' }),
    }),
    { description: `The last ${SHOWN_HOURS} hours, with this one, the oldest first. Read-only.` },
  ),
  created_at: Time('When it was added. Read-only.'),
  etag: Type.String({ description: 'Send it as `If-Match`.' }),
});
const EXAMPLE: Static<typeof Connector> = {
  id: '01989f38-2b6d-7e04-9a1c-4f7d0c3b8e21',
  object: 'connector',
  kind: 'otodata',
  name: 'Otodata',
  settings: { interval_minutes: 15 },
  has_secret: true,
  state: 'works',
  paused_at: null,
  down_since: null,
  last_error: null,
  last_attempt_at: '2025-11-02T08:15:11.020Z',
  last_success_at: '2025-11-02T08:15:12.514Z',
  next_attempt_at: '2025-11-02T08:30:12.514Z',
  read_up_to: '2025-11-02T08:15:11.020Z',
  backfill_from: null,
  devices: 405,
  tanks: 401,
  last_try: {
    at: '2025-11-02T08:10:02.118Z',
    works: true,
    devices: 405,
    devices_on_tanks: 401,
    readings: 9720,
    error: null,
  },
  hours: [{ at: '2025-11-02T08:00:00.000Z', readings: 402, successes: 2, failures: 0 }],
  created_at: '2025-11-02T08:10:00.000Z',
  etag: '"mX4rT9vB2kQ7wL1zC6nH8d"',
};

const connectorEtag = (connector: ConnectorObject): string =>
  etagOf([connector.id, connector.name, connector.settings, connector.paused_at]);

const respondWithConnector = async (
  db: Db,
  organizationNo: number,
  id: string,
  status: 200 | 201 | 202 = 200,
): Promise<ManageResponse> => respondWith(await existingConnector(db, organizationNo, id), connectorEtag, status);

/** Refuses an address to which no request may be sent, as the command does. */
async function checkAddresses(of: ConnectorKind, given: object, connectors: AddressConfig): Promise<void> {
  const problem = await findAddressProblem(of, given, connectors);
  if (problem !== undefined)
    throw invalidParameters([{ param: 'settings', code: 'invalid', detail: sentence(problem) }]);
}

const common = {
  tag: 'manage connectors',
  allowedCallers: ['key', 'administrator'],
  item: Connector,
  example: EXAMPLE,
} as const;
const ofConnector = { path: '/manage/v1/connectors/:id', pathParameters: { id: 'ID of the connector.' } };
const writing = { ...common, queue: 'catalog' } as const;

export const CONNECTOR_OPERATIONS: readonly ManageOperation[] = [
  read({
    ...common,
    path: '/manage/v1/connectors',
    operationId: 'listConnectors',
    summary: 'List connectors',
    description:
      'Returns the sources that are asked for readings, with their state, in the order in which they were added.',
    item: Named('Connectors', { object: Type.Literal('list'), data: Type.Array(Connector) }),
    example: { object: 'list', data: [EXAMPLE] },
    async read({ db, organizationNo }) {
      const connectors = await listConnectors(db, organizationNo);
      const data = connectors.map((connector) => withEtag(connector, connectorEtag));
      return { status: 200, body: { object: 'list', data } };
    },
  }),
  read({
    ...common,
    ...ofConnector,
    operationId: 'getConnector',
    summary: 'Get a connector',
    description: 'Returns a source with its state.',
    read: ({ db, organizationNo, path: { id = '' } }) => respondWithConnector(db, organizationNo, id),
  }),
  write({
    ...writing,
    method: 'POST',
    path: '/manage/v1/connectors',
    operationId: 'createConnector',
    summary: 'Add a connector',
    description:
      'Asks a source for readings from now on, unless it is added as paused: then it can be tried first. An organization has ' +
      `at most ${MAX_CONNECTORS} (409). A private address is 422.`,
    statuses: [201],
    body: Named('NewConnector', {
      kind,
      name,
      settings,
      secret: Type.Optional(secret),
      days: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: MAX_BACKFILL_DAYS,
          description: 'How far back readings are read, if the source has them; 30 days if missing.',
        }),
      ),
      paused: Type.Optional(paused),
    }),
    prepare: ({ values, connectors }) => checkAddresses(values.kind, values.settings, connectors),
    async handle({ values: { paused: isPaused = false, ...connector }, secretsKey, ...change }) {
      const { id } = await createConnector(change, connector, secretsKey, { isPaused });
      return respondWithConnector(change.tx, change.organizationNo, id, 201);
    },
  }),
  write({
    ...writing,
    ...ofConnector,
    method: 'PATCH',
    operationId: 'updateConnector',
    summary: 'Change, pause or resume a connector',
    description:
      'Changes the given fields (JSON Merge Patch, RFC 7396); `settings` are replaced as a whole and need `kind`. A new secret, ' +
      'new settings or `paused: false` make it ask at once, also after the key was refused.',
    body: Named('ConnectorPatch', optional({ kind, name, settings, secret, paused })),
    condition: 'required',
    async prepare({ values, connectors }) {
      if (values.settings === undefined) return;
      if (values.kind === undefined)
        throw invalidParameters([
          { param: 'kind', code: 'missing', detail: 'Required with settings: it does not change.' },
        ]);
      await checkAddresses(values.kind, values.settings, connectors);
    },
    async handle({ path: { id = '' }, values: { kind: given, ...values }, condition, secretsKey, ...change }) {
      const check = compare(condition, connectorEtag);
      await updateConnector(change, id, values, secretsKey, (current) => {
        check(current);
        if (given !== undefined && given !== current.kind)
          throw invalidParameters([
            { param: 'kind', code: 'invalid', detail: `Must be ${current.kind}: it does not change.` },
          ]);
      });
      return respondWithConnector(change.tx, change.organizationNo, id);
    },
  }),
  write({
    ...writing,
    path: '/manage/v1/connectors/:id/try',
    pathParameters: ofConnector.pathParameters,
    method: 'POST',
    operationId: 'tryConnector',
    summary: 'Try a connector',
    description:
      'Asks the source within seconds, also a paused one, and listens to a broker for five seconds. `last_try` then has what it ' +
      'answered. No reading is stored.',
    statuses: [202],
    body: Named('ConnectorTrial', {}),
    async handle({ path: { id = '' }, ...change }) {
      await requestTrial(change, id);
      return respondWithConnector(change.tx, change.organizationNo, id, 202);
    },
  }),
  write({
    ...writing,
    ...ofConnector,
    ...deletion,
    operationId: 'deleteConnector',
    summary: 'Remove a connector',
    description: 'Removes a source with its secret. Readings stay.',
    async handle({ path: { id = '' }, ...change }) {
      await removeConnector(change, id);
      return { status: 204, body: null };
    },
  }),
];
