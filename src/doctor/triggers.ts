import type { Db } from '../db/pool.ts';
import { type Fault, fault } from './finding.ts';

/** The triggers the migrations make: what keeps counters, assignments, change numbers and the audit log true. */
export const EXPECTED_TRIGGERS: Readonly<Record<string, readonly string[]>> = {
  organizations: ['audit_new_organizations', 'audit_changed_organizations'],
  customers: [
    'customer_changed',
    'count_new_customers',
    'count_changed_customers',
    'count_gone_customers',
    'audit_new_customers',
    'audit_changed_customers',
  ],
  tanks: [
    'tank_changed',
    'new_devices',
    'moved_devices',
    'changed_settings',
    'count_new_tanks',
    'count_changed_tanks',
    'count_gone_tanks',
    'audit_new_tanks',
    'audit_changed_tanks',
  ],
  api_keys: ['key_changed', 'audit_new_keys', 'audit_changed_keys'],
  device_credentials: ['credential_changed', 'audit_new_credentials', 'audit_changed_credentials'],
  webhook_endpoints: ['audit_new_endpoints', 'audit_changed_endpoints'],
  contacts: ['audit_new_contacts', 'audit_changed_contacts'],
};

/** What was written while a trigger slept was not counted, so enabling it is half of the remedy. */
const THEN_RECOUNT = 'then run tankwatch doctor --fix, for what was written in between';

export async function checkTriggers(db: Db): Promise<Fault[]> {
  // A foreign key is enforced by triggers too, named by number; what a person knows is the constraint's name.
  // Enabled for 'origin' or 'always'; 'replica' alone never fires here.
  const { rows } = await db.query<{ table: string; name: string; is_foreign_key: boolean; is_enabled: boolean }>(
    `select tgrelid::regclass::text as table, coalesce(conname, tgname) as name,
            tgisinternal as is_foreign_key, bool_and(tgenabled in ('O', 'A')) as is_enabled
     from pg_trigger left join pg_constraint on tgisinternal and pg_constraint.oid = tgconstraint
     where tgrelid = any (array(select to_regclass(name) from unnest($1::text[]) as name))
     group by 1, 2, 3 order by 1, 2`,
    [Object.keys(EXPECTED_TRIGGERS)],
  );
  const there = new Set(rows.map(({ table, name }) => `${table} ${name}`));
  const missing = Object.entries(EXPECTED_TRIGGERS).flatMap(([table, names]) =>
    names
      .filter((name) => !there.has(`${table} ${name}`))
      .map((name) =>
        fault(
          `the trigger ${name} on ${table} is missing`,
          `as the owner, make it again as the file in migrations/ that creates it has it; ${THEN_RECOUNT}`,
        ),
      ),
  );
  const disabled = rows
    .filter((row) => !row.is_enabled)
    .map(({ table, name, is_foreign_key }) =>
      is_foreign_key
        ? fault(
            `the constraint ${name} is not enforced on ${table}: its triggers are disabled`,
            `as a superuser: alter table ${table} enable trigger all; ${THEN_RECOUNT}`,
          )
        : fault(
            `the trigger ${name} on ${table} is disabled`,
            `as the owner: alter table ${table} enable trigger ${name}; ${THEN_RECOUNT}`,
          ),
    );
  return [...missing, ...disabled];
}
