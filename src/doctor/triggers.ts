import type { Db } from '../db/pool.ts';
import { type CheckFinding, finding } from './finding.ts';

/** The triggers that the migrations create. They maintain counters, assignments, change numbers and the audit log,
 *  erase the data of deleted objects and record removals. */
export const EXPECTED_TRIGGERS: Readonly<Record<string, readonly string[]>> = {
  organizations: [
    'audit_new_organizations',
    'audit_changed_organizations',
    'forget_unusual_use',
    'record_deleted_organization',
    'end_sessions_of_organization',
    'delete_places',
    'delete_rounds',
    'delete_ledger',
    'delete_regional_rates',
    'set_route_tag',
  ],
  customers: [
    'set_customer_updated_at',
    'count_new_customers',
    'count_changed_customers',
    'count_deleted_customers',
    'audit_new_customers',
    'audit_changed_customers',
    'erase_customer',
    'erase_notes_of_customer',
    'record_removed_customer',
    'end_sign_ins_of_customer',
    'write_texts_of_new_customers',
    'write_texts_of_changed_customers',
    'number_new_customer',
    'number_changed_customer',
    'erase_phones',
    'set_phones_updated_at',
    'number_changed_phones',
  ],
  tanks: [
    'set_tank_updated_at',
    'set_settings_changed_at',
    'set_batch_tank_changed_at',
    'set_device_settings_changed_at',
    'set_order_threshold_changed_at',
    'record_new_assignments',
    'record_moved_assignments',
    'record_settings_change',
    'count_new_tanks',
    'count_changed_tanks',
    'count_deleted_tanks',
    'audit_new_tanks',
    'audit_changed_tanks',
    'erase_tank',
    'erase_stops_of_tank',
    'erase_comments_of_tank',
    'follow_tank_in_ledger',
    'follow_product_in_ledger',
    'record_removed_tank',
    'add_fleet_tanks',
    'follow_changed_tanks',
    'number_new_tank',
    'number_changed_tank',
    'number_changed_device_settings',
    'number_changed_product',
    'number_changed_order_threshold',
    'number_changed_levels',
    'number_changed_external_key',
    'erase_external_key',
    'forget_handling',
    'add_estimated_tanks',
    'follow_manual_devices',
  ],
  estimated_tanks: ['follow_told_tanks'],
  tank_gauges: ['follow_new_gauge', 'follow_removed_gauge', 'follow_changed_gauge'],
  waiting_dips: ['audit_new_dips'],
  depots: ['audit_new_depots', 'audit_changed_depots'],
  trucks: ['audit_new_trucks', 'audit_changed_trucks', 'mark_ledgers_of_truck'],
  delivery_notes: [
    'mark_new_notes',
    'mark_changed_notes',
    'set_note_updated_at',
    'audit_new_delivery_notes',
    'audit_changed_delivery_notes',
    'follow_new_notes_of_estimated_tanks',
    'follow_changed_notes_of_estimated_tanks',
    'reevaluate_before_new_notes',
    'reevaluate_before_changed_notes',
    'keep_former_notes',
    'number_new_note',
    'number_changed_note',
    'record_removed_notes',
  ],
  note_pins: [
    'mark_new_pins',
    'mark_changed_pins',
    'mark_deleted_pins',
    'audit_new_pins',
    'audit_changed_pins',
    'audit_removed_pins',
  ],
  organization_secrets: ['record_secret_change'],
  drivers: [
    'audit_new_drivers',
    'audit_changed_drivers',
    'erase_driver',
    'record_removed_driver',
    'erase_external_key',
  ],
  delivery_days: ['audit_new_delivery_days', 'audit_changed_delivery_days'],
  ledger_entries: ['number_new_entry', 'number_changed_entry', 'record_removed_entries'],
  rounds: [
    'audit_new_rounds',
    'audit_changed_rounds',
    'follow_changed_round',
    'follow_changed_truck',
    'number_new_round',
    'number_changed_round',
  ],
  round_stops: [
    'set_stop_openness',
    'follow_stops_of_estimated_tanks',
    'keep_former_stops',
    'audit_stop_outcome',
    'take_number_new_stop',
    'take_number_changed_stop',
    'record_removed_stops',
  ],
  fleet_tanks: ['end_resolved_conditions'],
  events: [
    'keep_work_event',
    'keep_device_event',
    'keep_connector_event',
    'mark_ledgers_of_new_events',
    'mark_ledgers_of_changed_events',
  ],
  tank_notes: ['audit_new_notes', 'audit_changed_notes', 'mark_noted', 'erase_stored_answers'],
  acknowledgements: ['audit_new_acknowledgements', 'audit_changed_acknowledgements', 'mark_acknowledged', 'mark_ended'],
  mutes: ['audit_new_mutes', 'audit_changed_mutes', 'mark_muted'],
  api_keys: [
    'record_key_change',
    'audit_new_keys',
    'audit_changed_keys',
    'record_ended_key',
    'end_sessions_of_key',
    'erase_activity_of_deleted_key',
    'erase_activity_of_customer',
  ],
  sessions: ['record_session_change'],
  device_credentials: [
    'record_credential_change',
    'audit_new_credentials',
    'audit_changed_credentials',
    'record_new_credential',
    'record_changed_credential',
  ],
  webhook_endpoints: [
    'audit_new_endpoints',
    'audit_changed_endpoints',
    'record_disabled_webhook',
    'erase_stored_answers',
    'erase_webhook_secret',
    'follow_changes_of_webhook',
  ],
  contacts: [
    'audit_new_contacts',
    'audit_changed_contacts',
    'record_removed_contact',
    'record_changed_console',
    'end_sign_ins_of_contact',
    'erase_stored_answers',
    'erase_contact_reach',
    'keep_console_roles',
    'touch_sessions_of_contact',
  ],
  issuers: ['audit_new_issuers', 'audit_changed_issuers', 'end_sessions_of_issuer'],
  gauge_profiles: ['record_profile_change', 'audit_new_profiles', 'audit_changed_profiles'],
  profile_assignments: [
    'record_assignment_change',
    'audit_new_profile_assignments',
    'audit_changed_profile_assignments',
  ],
  connectors: ['audit_new_connectors', 'audit_changed_connectors'],
  duty_plans: ['audit_new_duty_plans', 'audit_changed_duty_plans'],
  text_channels: ['audit_new_text_channels', 'audit_changed_text_channels'],
  contact_reach: ['audit_changed_contact_reach'],
  texts: ['hasten_escalation'],
  reminder_unsubscribes: ['record_unsubscribe'],
};

/** Rows written while a trigger was missing or disabled were not counted. */
const THEN_RECOUNT = 'then run tankwatch doctor --fix to count rows written in the meantime';

export async function checkTriggers(db: Db): Promise<CheckFinding[]> {
  // PostgreSQL also enforces foreign keys by triggers, with generated names; the finding names the constraint instead.
  // 'O' (origin) and 'A' (always) fire here; 'R' (replica) does not.
  const { rows } = await db.query<{ table: string; name: string; is_foreign_key: boolean; is_enabled: boolean }>(
    `select tgrelid::regclass::text as table, coalesce(conname, tgname) as name,
            tgisinternal as is_foreign_key, bool_and(tgenabled in ('O', 'A')) as is_enabled
     from pg_trigger left join pg_constraint on tgisinternal and pg_constraint.oid = tgconstraint
     where tgrelid = any (array(select to_regclass(name) from unnest($1::text[]) as name))
     group by 1, 2, 3 order by 1, 2`,
    [Object.keys(EXPECTED_TRIGGERS)],
  );
  const existing = new Set(rows.map(({ table, name }) => `${table} ${name}`));
  const missing = Object.entries(EXPECTED_TRIGGERS).flatMap(([table, names]) =>
    names
      .filter((name) => !existing.has(`${table} ${name}`))
      .map((name) =>
        finding(
          `the trigger ${name} on ${table} is missing`,
          `as the owner: create the trigger again as in the file of migrations/ that creates it; ${THEN_RECOUNT}`,
        ),
      ),
  );
  const disabled = rows
    .filter((row) => !row.is_enabled)
    .map(({ table, name, is_foreign_key }) =>
      is_foreign_key
        ? finding(
            `the constraint ${name} is not enforced on ${table}: its triggers are disabled`,
            `as a superuser: alter table ${table} enable trigger all; ${THEN_RECOUNT}`,
          )
        : finding(
            `the trigger ${name} on ${table} is disabled`,
            `as the owner: alter table ${table} enable trigger ${name}; ${THEN_RECOUNT}`,
          ),
    );
  return [...missing, ...disabled];
}
