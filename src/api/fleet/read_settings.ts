import { onlyRow } from '../../db/only_row.ts';
import type { Readers, Statement } from '../../db/readers.ts';
import type { EventType } from '../../evaluation/pure/alerts/event_types.ts';

export interface OrganizationSettings {
  organization: {
    code: string;
    name: string;
    language: string;
    time_zone: string;
    phone: string | null;
    reply_to: string | null;
  };
  thresholds: { min_fill_alert_percentage: number; tanks: number }[];
  contacts: { id: string; email: string; types: EventType[]; digest_at: string | null; has_console: boolean }[];
  webhooks: {
    id: string;
    host: string;
    types: EventType[];
    failing_since: string | null;
    disabled_at: string | null;
    disabled_because: 'operator' | 'gone' | 'failing' | null;
  }[];
}

const ORGANIZATION: Statement = {
  name: 'settings_organization',
  text: `select code, name, language, time_zone, phone, reply_to from organization_settings where organization_no = $1`,
};
/** Reads every tank of the organization. People open the settings rarely, and no index would serve anything else. */
const THRESHOLDS: Statement = {
  name: 'settings_thresholds',
  text: `select min_fill_alert_percentage, count(*)::int as tanks from tanks
    where organization_no = $1 and deleted_at is null group by 1 order by 2 desc, 1`,
};
const CONTACTS: Statement = {
  name: 'settings_contacts',
  text: `select id, email, types, digest_at, has_console from contact_settings where organization_no = $1 order by no desc`,
};
const WEBHOOKS: Statement = {
  name: 'settings_webhooks',
  text: `select id, host, types, failing_since, disabled_at, disabled_because from webhook_settings
    where organization_no = $1 order by no desc`,
};

/** What an organization has configured. No statement can read a secret: the views do not have them. */
export async function readSettings(readers: Readers, organizationNo: number): Promise<OrganizationSettings> {
  const [organizations, thresholds, contacts, webhooks] = await Promise.all([
    readers.query<OrganizationSettings['organization']>(ORGANIZATION, [organizationNo]),
    readers.query<OrganizationSettings['thresholds'][number]>(THRESHOLDS, [organizationNo]),
    readers.query<OrganizationSettings['contacts'][number]>(CONTACTS, [organizationNo]),
    readers.query<OrganizationSettings['webhooks'][number]>(WEBHOOKS, [organizationNo]),
  ]);
  return { organization: onlyRow(organizations), thresholds, contacts, webhooks };
}
