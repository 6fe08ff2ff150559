import type { Pool } from 'pg';
import { expect } from 'vitest';
import { givenCustomer, givenOrganization, givenTank } from '../support/fleet.ts';
import { test } from '../support/test.ts';

const INSUFFICIENT_PRIVILEGE = '42501';

const expectRefused = async (pool: Pool, statements: string[]): Promise<void> => {
  for (const statement of statements) {
    await expect(pool.query(statement), statement).rejects.toMatchObject({ code: INSUFFICIENT_PRIVILEGE });
  }
};

test('the api role cannot write or create tables, or read tables that it does not serve', async ({ database }) => {
  await expectRefused(database.api, [
    "insert into organizations (code, name) values ('a0x', 'x')",
    'update customers set name = name',
    'update api_keys set revoked_at = null',
    'delete from tanks',
    'truncate telemetry',
    'update catalog_month_counters set n = 0',
    'insert into telemetry (tank_no, created_at, fill_percentage) values (1, now(), 1)',
    'create table mine (a int)',
    'create temporary table mine (a int)',
    'create schema mine',
    'select * from organizations',
    'update fleet_tanks set is_low = true',
    'update fleet_levels set fill = 0',
    'select * from sessions',
    'select * from sign_ins',
    'select * from sign_in_identities',
    'select * from contacts',
    'select * from text_channels',
    'select * from contact_reach',
    'select * from texts',
    'select * from push_keys',
    'select * from push_subscriptions',
    'select * from pushes',
    "insert into sign_ins (address, browser_sha256) values ('a@b.example', sha256('x'))",
    "select begin_sign_in_mail(1, sha256('x'), sha256('y'))",
    "select redeem_sign_in(1, sha256('x'))",
    'select * from tank_checkpoints',
    "select ensure_telemetry_month('2031-01-01')",
    'set role tankwatch_operator',
  ]);
});

test('the gateway reads only profiles and the columns with which it verifies keys and devices', async ({
  database,
}) => {
  await expectRefused(database.gateway, [
    'insert into telemetry (tank_no, created_at, fill_percentage) values (1, now(), 1)',
    'insert into rejected_readings (code) values (null)',
    'select * from rejected_readings',
    'select * from device_assignments',
    'update profile_assignments set deleted_at = now()',
    'select * from connectors',
    'delete from gauge_profiles',
    'select * from tank_settings',
    'select name from api_keys',
    'select last_used_at from api_keys',
    'select name from organizations',
    'select * from customers',
    "select ensure_telemetry_month('2031-01-01')",
    "select enqueue_events('{1}')",
    'create temporary table mine (a int)',
    'set role tankwatch_writer',
  ]);
});

test('the writer sees no personal data and changes no catalog', async ({ database }) => {
  await expectRefused(database.writer, [
    'select * from customers',
    'select * from tanks',
    'select * from api_keys',
    'select * from device_credentials',
    'select * from rejected_readings',
    'update tanks set name = name',
    'delete from telemetry',
    'update telemetry set gauge_value = 0',
    'update telemetry set fill_percentage = 0',
    'update telemetry set created_at = now()',
    'update packed_telemetry set gauge_values = null',
    'update packed_telemetry set levels = null',
    'update tank_gauges set definition = null',
    'select * from connectors',
    'update tank_outages set to_at = null',
    'create temporary table mine (a int)',
    'select record_key_use(array[1], array[now()])',
  ]);
});

test('an operator creates customers and tanks but cannot delete history or change the schema', async ({ database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const owner = await givenCustomer(database.operator, organizationNo);
  await givenTank(database.operator, organizationNo, owner.no);
  await expectRefused(database.operator, [
    'delete from customers',
    'delete from telemetry',
    'drop table tanks',
    'alter table tanks disable trigger all',
    'create temporary table mine (a int)',
  ]);
});

test('the manager cannot read secrets of sources', async ({ database }) => {
  await expectRefused(database.manager, [
    'select * from connectors',
    'select sealed_secret from connectors',
    'update connectors set sealed_secret = sealed_secret',
    'update connectors set name = sealed_secret',
  ]);
});

test('the worker cannot change events, the catalog, secrets or telemetry', async ({ database }) => {
  await expectRefused(database.worker, [
    'update events set notify = true',
    'delete from events',
    'update customers set is_verified = true',
    'update tanks set name = name',
    'select * from api_keys',
    'select * from sessions',
    'select * from sign_ins',
    "select redeem_sign_in_link(sha256('x'), sha256('y'))",
    "select choose_sign_in(sha256('x'), gen_random_uuid(), 'a0', sha256('y'))",
    'update contacts set has_console = true',
    'delete from telemetry',
    'update telemetry_month_counters set n = 0',
    'insert into tank_checkpoints select * from tank_checkpoints',
    'delete from webhook_endpoints',
    'update connectors set sealed_secret = null',
    'update text_channels set sealed_secret = null',
    'update contact_reach set verified_at = now()',
    'update duty_plans set escalates = false',
    'delete from connector_devices',
    'create table mine (a int)',
    'create table graphile_worker.mine (a int)',
  ]);
});

test('the api, gateway, writer and operator cannot read the queue, and add jobs only through their own functions', async ({
  database,
}) => {
  for (const pool of [database.api, database.gateway, database.writer, database.operator]) {
    await expectRefused(pool, [
      'select * from graphile_worker._private_jobs',
      "select graphile_worker.add_job('notify_events')",
    ]);
  }
  await expectRefused(database.api, [`select enqueue_events('{1}')`, 'select enqueue_invitation(1)']);
  await expectRefused(database.writer, [`select enqueue_invitation(1)`, 'select * from webhook_endpoints']);
});

test('functions that run with the rights of their owner have a fixed search path', async ({ database }) => {
  const { rows } = await database.owner.query<{ proname: string; proconfig: string[] | null }>(
    "select proname, proconfig from pg_proc where prosecdef and pronamespace = 'public'::regnamespace",
  );
  expect(rows.map((row) => row.proname).toSorted()).toEqual([
    'add_counter_partition',
    'add_estimated_tanks',
    'add_fleet_tanks',
    'audit_creation',
    'audit_dips',
    'audit_pins',
    'audit_stop_outcome',
    'audit_update',
    'begin_management',
    'begin_outage',
    'begin_owner_change',
    'begin_session',
    'begin_sign_in_mail',
    'choose_channels',
    'choose_sign_in',
    'correct_levels',
    'correct_packed_levels',
    'count_catalog_change',
    'create_session',
    'customer_of_link',
    'delete_ended_sessions',
    'delete_expired_rows',
    'delete_ledger',
    'delete_old_idempotency_keys',
    'delete_old_key_activity',
    'delete_places',
    'delete_regional_rates',
    'delete_rounds',
    'deliveries_of_tanks',
    'driver_round',
    'drop_empty_packed_years',
    'drop_expired_telemetry',
    'drop_packed_partitions',
    'end_all_sessions',
    'end_handling',
    'end_outage',
    'end_session',
    'end_sessions_of_issuer',
    'end_sessions_of_key',
    'end_sessions_of_organization',
    'end_sign_ins',
    'enqueue_events',
    'enqueue_invitation',
    'enqueue_retractions',
    'enqueue_webhook_test',
    'ensure_counter_years',
    'ensure_telemetry_month',
    'erase_comments_of_tank',
    'erase_contact_reach',
    'erase_customer',
    'erase_deleted_organization',
    'erase_deleted_tank',
    'erase_driver',
    'erase_key_activity',
    'erase_notes_of_customer',
    'erase_stops_of_tank',
    'erase_stored_answers',
    'erase_tank',
    'exceeded_quota',
    'find_key',
    'find_session',
    'find_similar_names',
    'finish_gauge_recomputation',
    'follow_changed_gauge',
    'follow_changed_round',
    'follow_changed_tanks',
    'follow_changed_truck',
    'follow_changes_of_webhook',
    'follow_manual_devices',
    'follow_notes_of_estimated_tanks',
    'follow_readings',
    'follow_stops_of_estimated_tanks',
    'follow_tank_in_ledger',
    'follow_told_tanks',
    'follow_ups_of',
    'forget_handling',
    'forget_unusual_use',
    'hasten_escalation',
    'hold_notifications',
    'invitation_of_sign_in',
    'invite_contact',
    'job_status',
    'keep_former_notes',
    'keep_former_stops',
    'key_beginning',
    'lock_expired_telemetry',
    'lock_gauge_recomputation',
    'lock_handled_tank',
    'lock_organization',
    'lock_tanks_for_weather',
    'mark_acknowledged',
    'mark_ledgers_of_events',
    'mark_ledgers_of_notes',
    'mark_ledgers_of_pins',
    'mark_ledgers_of_truck',
    'mark_muted',
    'mark_noted',
    'pack_telemetry',
    'plan_broker_cleanup',
    'record_block_read',
    'record_command',
    'record_connector_event',
    'record_deleted_organization',
    'record_driver_entry',
    'record_driver_word',
    'record_entry_for_driver',
    'record_feed_removals',
    'record_key_activity',
    'record_key_use',
    'record_moved_assignments',
    'record_new_assignments',
    'record_removal',
    'record_session_use',
    'record_settings_change',
    'record_text_report',
    'record_unsubscribe',
    'record_webhook_test',
    'record_work_event',
    'redeem_sign_in_code',
    'redeem_sign_in_link',
    'reevaluate_before_notes',
    'release_notifications',
    'remove_push_subscription',
    'request_sign_in',
    'resubscribe_customer',
    'rotate_webhook_secret',
    'sequence_use',
    'set_change_number',
    'set_route_tag',
    'set_stop_openness',
    'sign_in_choices',
    'sign_in_of_link',
    'sign_in_with_issuer',
    'store_push_subscription',
    'store_temperatures',
    'test_push',
    'text_channel_of_report',
    'touch_sessions_of_contact',
    'unpack_tank_months',
    'unpack_telemetry',
    'unsubscribe_customer_of_link',
    'unused_route_tag',
    'verify_customer_of_link',
    'waiting_notifications',
    'wrapped_link_secret_of',
    'write_texts_of_customers',
  ]);
  for (const row of rows) expect(row.proconfig).toContain('search_path=public, pg_temp');
});
