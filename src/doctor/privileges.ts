type Grants = Readonly<Record<string, readonly string[]>>;

const SELECT = ['select'] as const;
const INSERT = ['select', 'insert'] as const;
const WRITE = ['select', 'insert', 'update'] as const;

/** The columns of api_keys that verifying a key needs. Its name may be that of a person. */
const KEY_COLUMNS = [
  'no',
  'prefix',
  'secret_sha256',
  'organization_no',
  'customer_no',
  'scopes',
  'requests_per_second',
  'burst',
  'expires_at',
  'revoked_at',
  'changed_xid',
] as const;

/** The table privileges that the migrations grant. Listed a second time, so that a mistake in one place is found. */
export const EXPECTED_GRANTS: Readonly<Record<string, Grants>> = {
  tankwatch_api: {
    customers: SELECT,
    tanks: SELECT,
    catalog_month_counters: SELECT,
    catalog_buckets: SELECT,
    telemetry: SELECT,
    telemetry_month_counters: SELECT,
    telemetry_buckets: SELECT,
    fleet_tanks: SELECT,
    tank_states: SELECT,
    events: SELECT,
    schema_migrations: SELECT,
  },
  tankwatch_gateway: {},
  tankwatch_writer: {
    device_assignments: SELECT,
    tank_settings: SELECT,
    rejected_readings: ['insert'],
    tank_checkpoints: WRITE,
    tank_settings_history: SELECT,
    reevaluations: [...WRITE, 'delete'],
    telemetry: INSERT,
    telemetry_month_counters: WRITE,
    telemetry_buckets: WRITE,
    tank_states: WRITE,
    fleet_tanks: ['select', 'update'],
    events: WRITE,
    schema_migrations: SELECT,
  },
  tankwatch_operator: {
    organizations: WRITE,
    organization_secrets: INSERT,
    customers: WRITE,
    tanks: WRITE,
    api_keys: WRITE,
    catalog_month_counters: WRITE,
    catalog_buckets: WRITE,
    device_assignments: [...WRITE, 'delete'],
    device_credentials: WRITE,
    device_password_issues: WRITE,
    tank_settings: SELECT,
    rejected_readings: WRITE,
    tank_checkpoints: WRITE,
    tank_settings_history: INSERT,
    reevaluations: [...WRITE, 'delete'],
    telemetry: INSERT,
    telemetry_month_counters: WRITE,
    telemetry_buckets: WRITE,
    tank_states: WRITE,
    fleet_tanks: ['select', 'update'],
    audit_log: SELECT,
    events: WRITE,
    webhook_endpoints: WRITE,
    webhook_deliveries: WRITE,
    contacts: WRITE,
    event_mails: SELECT,
    digests: SELECT,
    reminder_unsubscribes: SELECT,
    removals: SELECT,
    schema_migrations: SELECT,
  },
  tankwatch_worker: {
    organizations: SELECT,
    customers: SELECT,
    tanks: SELECT,
    tank_states: SELECT,
    fleet_tanks: SELECT,
    catalog_month_counters: SELECT,
    events: SELECT,
    webhook_endpoints: ['select', 'update'],
    webhook_deliveries: WRITE,
    contacts: SELECT,
    event_mails: [...WRITE, 'delete'],
    device_mails: WRITE,
    digests: [...WRITE, 'delete'],
    reminder_unsubscribes: SELECT,
    removals: SELECT,
    schema_migrations: SELECT,
  },
};

/** Columns that a role may select of tables on which it has no other rights. */
export const EXPECTED_COLUMNS: Readonly<Record<string, Grants>> = {
  tankwatch_api: { api_keys: KEY_COLUMNS },
  tankwatch_gateway: {
    organizations: ['no', 'code', 'readings_per_second', 'deleted_at'],
    organization_secrets: ['organization_no', 'sealed_device_secret'],
    api_keys: KEY_COLUMNS,
    device_credentials: ['organization_no', 'device_id', 'generation', 'revoked_at', 'changed_xid'],
  },
  tankwatch_worker: { organization_secrets: ['organization_no', 'sealed_link_secret'] },
};

/** Functions that run with the rights of their owner, and the only roles that may call them. */
export const EXPECTED_CALLERS: Readonly<Record<string, readonly string[]>> = {
  record_key_use: ['tankwatch_api'],
  ensure_telemetry_month: ['tankwatch_writer', 'tankwatch_operator', 'tankwatch_worker'],
  enqueue_events: ['tankwatch_writer', 'tankwatch_operator'],
  enqueue_invitation: ['tankwatch_operator'],
  job_status: ['tankwatch_operator'],
  record_command: ['tankwatch_operator'],
  customer_of_link: ['tankwatch_api'],
  verify_customer_of_link: ['tankwatch_api'],
  unsubscribe_customer_of_link: ['tankwatch_api', 'tankwatch_operator'],
  erase_deleted_tank: ['tankwatch_worker'],
  delete_expired_rows: ['tankwatch_worker'],
  erase_deleted_organization: ['tankwatch_worker'],
};
