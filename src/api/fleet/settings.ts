import { type Static, Type } from 'typebox';
import { onlyRow } from '../../db/only_row.ts';
import type { Readers, Statement } from '../../db/readers.ts';
import { EVENT_TYPES } from '../../evaluation/pure/alerts/event_types.ts';
import { organizationOnly } from '../../http/problem.ts';
import { CONSOLE_ROLES } from '../../keys/console_roles.ts';
import { PRODUCT_NAMES } from '../../values/products.ts';
import { MAX_WEBHOOKS } from '../../webhooks/webhook_limits.ts';
import { WEBHOOK_TYPES } from '../../webhooks/webhook_types.ts';
import { operation } from '../operation.ts';
import { Closed, Named, NullableEnum, NullableString, NullableTime } from '../schemas/values.ts';
import { CachedResults } from './recent_counts.ts';

const ORGANIZATION: Statement = {
  name: 'settings_organization',
  text: `select code, name, language, time_zone, phone, reply_to, default_product, reports_unusual_use
    from organization_settings where organization_no = $1`,
};
/** Reads every tank of the organization, at most every 10 seconds. It has no index, which no other statement would use. */
const THRESHOLDS: Statement = {
  name: 'settings_thresholds',
  text: `select min_fill_alert_percentage, count(*)::int as tanks from tanks
    where organization_no = $1 and deleted_at is null group by 1 order by 2 desc, 1`,
};
const CONTACTS: Statement = {
  name: 'settings_contacts',
  text: `select id, email, types, digest_at, has_console, name, roles from contact_settings where organization_no = $1 order by no desc`,
};
const WEBHOOKS: Statement = {
  name: 'settings_webhooks',
  text: `select id, host, types, failing_since, disabled_at, disabled_because from webhook_settings
    where organization_no = $1 order by disabled_at is not null, no desc limit ${MAX_WEBHOOKS}`,
};

type Threshold = OrganizationSettings['thresholds'][number];
const recentThresholds = new CachedResults<Threshold[]>();

/** Reads the settings of an organization. The views that it reads contain no secrets. */
async function readSettings(readers: Readers, organizationNo: number): Promise<OrganizationSettings> {
  const [organizations, thresholds, contacts, webhooks] = await Promise.all([
    readers.query<OrganizationSettings['organization']>(ORGANIZATION, [organizationNo]),
    recentThresholds.read(readers, String(organizationNo), () =>
      readers.query<Threshold>(THRESHOLDS, [organizationNo]),
    ),
    readers.query<OrganizationSettings['contacts'][number]>(CONTACTS, [organizationNo]),
    readers.query<OrganizationSettings['webhooks'][number]>(WEBHOOKS, [organizationNo]),
  ]);
  return { organization: onlyRow(organizations), thresholds: thresholds.value, contacts, webhooks };
}

const Types = (description: string) => Type.Array(Type.Enum([...EVENT_TYPES]), { description });
const WebhookTypes = Type.Array(Type.Enum([...WEBHOOK_TYPES]), {
  description: 'The types of messages that are sent. Empty for all events.',
});

const Settings = Named('Settings', {
  object: Type.Literal('settings'),
  organization: Closed({
    code: Type.String({ description: 'Code of the organization.' }),
    name: Type.String({ description: 'Name of the organization.' }),
    language: Type.String({ description: 'Language of its mails, such as es-MX.' }),
    time_zone: Type.String({ description: 'Time zone of its mails.' }),
    phone: NullableString('The number that its mails and the console ask to call.'),
    reply_to: NullableString('The address that replies to its mails go to.'),
    default_product: Type.Enum([...PRODUCT_NAMES], {
      description: 'The product of tanks that have none of their own.',
    }),
    reports_unusual_use: Type.Boolean({ description: 'Whether unusual use is reported.' }),
  }),
  thresholds: Type.Array(
    Closed({
      min_fill_alert_percentage: Type.Number({ description: 'The threshold, in percent.' }),
      tanks: Type.Integer({ description: 'Number of tanks with this threshold.' }),
    }),
    { description: 'The thresholds that tanks have, the most frequent first.' },
  ),
  contacts: Type.Array(
    Closed({
      id: Type.String({ description: 'ID of the contact.' }),
      email: Type.String({ description: 'Mail address.' }),
      types: Types('The types of events that are mailed at once.'),
      digest_at: NullableString("Time of the daily digest in the organization's time zone. Null if there is none."),
      has_console: Type.Boolean({ description: 'Whether the contact may sign in to the console.' }),
      name: NullableString('Name of the person.'),
      roles: Type.Array(Type.Enum([...CONSOLE_ROLES]), { description: 'What the contact may do in the console.' }),
    }),
    { description: 'The people who get mails about events or use the console, newest first.' },
  ),
  webhooks: Type.Array(
    Closed({
      id: Type.String({ description: 'ID of the webhook.' }),
      host: Type.String({ description: 'Host of its URL. The path is not returned: it may have a token.' }),
      types: WebhookTypes,
      failing_since: NullableTime('The first failure since the last success. Null if the last delivery succeeded.'),
      disabled_at: NullableTime('When it was disabled. Null if it is enabled.'),
      disabled_because: NullableEnum(
        ['operator', 'gone', 'failing'],
        'Why it was disabled: by somebody, because the endpoint answered 410, or because it failed for days.',
      ),
    }),
    { description: 'The endpoints that receive events, enabled ones first, then newest first, without their secrets.' },
  ),
});

type OrganizationSettings = Omit<Static<typeof Settings>, 'object'>;

const EXAMPLE: Static<typeof Settings> = {
  object: 'settings',
  organization: {
    code: 'a0gas',
    name: 'Gas del Valle',
    language: 'es-MX',
    time_zone: 'America/Mexico_City',
    phone: '+52 461 555 0100',
    reply_to: null,
    default_product: 'propane',
    reports_unusual_use: true,
  },
  thresholds: [{ min_fill_alert_percentage: 20, tanks: 4791 }],
  contacts: [
    {
      id: '01989f31-7a11-7c55-9d20-6c1f4be0a3d2',
      email: 'dispatch@example.com',
      types: ['tank.rapid_loss'],
      digest_at: '07:00',
      has_console: true,
      name: 'Ana Torres',
      roles: ['dispatcher'],
    },
  ],
  webhooks: [
    {
      id: '01989f31-8b42-7e06-8a31-90de57c4b1f8',
      host: 'erp.example.com',
      types: [],
      failing_since: null,
      disabled_at: null,
      disabled_because: null,
    },
  ],
};

export const retrieveSettingsOperation = operation({
  path: '/fleet/v1/settings',
  operationId: 'retrieveSettings',
  summary: 'Retrieve the settings of the organization',
  description:
    'Returns the thresholds, contacts and webhooks of the organization, without secrets. A key that is narrowed to one ' +
    'customer gets 403. Change them with `/manage/v1` or on the command line.',
  returns: 'answer',
  item: Settings,
  example: EXAMPLE,
  parameters: {},
  async handle({ readers, caller }) {
    if (caller.customerNo !== null) throw organizationOnly('The settings need');
    return { body: { object: 'settings', ...(await readSettings(readers, caller.organizationNo)) } };
  },
});
