import type { ChangeContext } from '../catalog/change_context.ts';
import { lockOrganization } from '../catalog/organizations.ts';
import { refuseTakenKeys } from '../catalog/own_numbers.ts';
import { insertRow } from '../db/insert_row.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Tx } from '../db/pool.ts';
import { ChangeRefusedError, NoSuchObjectError, refuseField } from '../values/change_refusal.ts';
import { isUuid, uuid7 } from '../values/uuid7.ts';
import {
  findTransport,
  MAX_OF_KIND,
  type StoredTransport,
  TRANSPORT_TABLES,
  type TransportKind,
  type TransportValues,
} from './trucks.ts';

/** Checks an object before it is changed, under its lock. Throws, for example, if it has changed. */
type Check<Kind extends TransportKind> = (current: StoredTransport<Kind>) => void;

/** Creates an object and returns its id. In a dry run, which the caller rolls back, no number of the sequence is used. */
export async function createTransport(
  change: ChangeContext,
  kind: TransportKind,
  values: TransportValues,
): Promise<string> {
  const { tx, organizationNo, isDryRun } = change;
  const { table, isLive } = TRANSPORT_TABLES[kind];
  const columns = await columnsOf(change, kind, values);
  // Serializes creations, so that two at the same time cannot exceed the limit.
  await lockOrganization(tx, organizationNo);
  const { rows: counted } = await tx.query<{ n: number }>(
    `select count(*)::int as n from ${table} x where organization_no = $1 and ${isLive}`,
    [organizationNo],
  );
  if (onlyRow(counted).n >= MAX_OF_KIND) {
    const fact = `the organization has ${MAX_OF_KIND} ${table} already, archived ones included`;
    throw new ChangeRefusedError('too_many_of_kind', fact);
  }
  if (values.is_archived !== true) await refuseTakenName(change, kind, values.name, null);
  await refuseTakenKeys(tx, organizationNo, { kind, table }, [values.external_key]);
  const id = uuid7();
  const inserted = insertRow(table, ['id', 'organization_no', ...columns.keys()], { isDryRun });
  await tx.query(inserted, [id, organizationNo, ...columns.values()]);
  return id;
}

/** Creates the object with this external key, or changes it. `check` gets undefined if there is none. Returns its id. */
export async function putTransport<Kind extends TransportKind>(
  change: ChangeContext,
  kind: Kind,
  externalKey: string,
  values: TransportValues,
  check: (current: StoredTransport<Kind> | undefined) => void,
): Promise<{ id: string; isNew: boolean }> {
  const { tx, organizationNo } = change;
  // Two requests with the same external key must not create two objects.
  await lockOrganization(tx, organizationNo);
  const current = await findTransport(tx, organizationNo, kind, { externalKey }, { lock: 'no key update' });
  if (current === undefined) {
    check(undefined);
    return { id: await createTransport(change, kind, { ...values, external_key: externalKey }), isNew: true };
  }
  const { id } = current.object;
  await updateTransport(change, kind, id, values, check);
  return { id, isNew: false };
}

/** Changes the fields that differ. Nothing is written if nothing changes. */
export async function updateTransport<Kind extends TransportKind>(
  change: ChangeContext,
  kind: Kind,
  id: string,
  values: TransportValues,
  check?: Check<Kind>,
): Promise<void> {
  const { tx, organizationNo } = change;
  const { table } = TRANSPORT_TABLES[kind];
  const current = await findTransport(tx, organizationNo, kind, id, { lock: 'no key update' });
  if (current === undefined) throw new NoSuchObjectError(kind);
  check?.(current);
  const columns = await columnsOf(change, kind, values, current.object);
  const changed = { ...current.object, ...values };
  if (!changed.is_archived) await refuseTakenName(change, kind, changed.name, id);
  await refuseTakenKeys(tx, organizationNo, { kind, table }, [values.external_key], id);
  const names = [...columns.keys()];
  if (names.length === 0) return;
  await tx.query(
    `update ${table} set ${names.map((name, index) => `${name} = $${index + 3}`).join(', ')}, updated_at = now()
     where organization_no = $1 and id = $2
       and (${names.map((name, index) => `${name} is distinct from $${index + 3}`).join(' or ')})`,
    [organizationNo, id, ...columns.values()],
  );
}

/** Throws if another truck or driver in use has this name. Depots may have equal names. */
async function refuseTakenName(
  { tx, organizationNo }: ChangeContext,
  kind: TransportKind,
  name: string | undefined,
  ownId: string | null,
): Promise<void> {
  if (kind === 'depot' || name === undefined) return;
  const { rows } = await tx.query<{ id: string }>(
    `select id from ${TRANSPORT_TABLES[kind].table}
     where organization_no = $1 and lower(name) = lower($2) and archived_at is null and id is distinct from $3::uuid`,
    [organizationNo, name, ownId],
  );
  if (rows[0]) throw new ChangeRefusedError('name_taken', `another ${kind} has this name`, rows[0].id);
}

/** The columns to write, with their values. Only the names of writable columns become part of a statement. */
async function columnsOf(
  { tx, organizationNo }: ChangeContext,
  kind: TransportKind,
  values: TransportValues,
  { is_archived: wasArchived } = { is_archived: false },
): Promise<Map<string, unknown>> {
  const depotId = 'depot_id' in values ? values.depot_id : undefined;
  const depot = depotId === undefined ? undefined : await findTransport(tx, organizationNo, 'depot', depotId);
  if (depotId !== undefined && depot === undefined) refuseField('depot_id', 'must be the ID of a depot');
  const { is_archived: isArchived = wasArchived } = values;
  // PostgreSQL reads 'now' as the time of the transaction.
  const archivedAt = isArchived ? 'now' : null;
  const given: Readonly<Record<string, unknown>> = {
    ...values,
    depot_no: depot?.no,
    archived_at: isArchived === wasArchived ? undefined : archivedAt,
  };
  return new Map(
    TRANSPORT_TABLES[kind].writable.flatMap((name) =>
      given[name] === undefined ? [] : [[name, given[name]] as const],
    ),
  );
}

/** Erases a driver, see eraseDriver. Deleting again changes nothing. */
export async function deleteDriver(change: ChangeContext, id: string, check?: Check<'driver'>): Promise<void> {
  const { tx, organizationNo } = change;
  const current = await findTransport(tx, organizationNo, 'driver', id, { lock: 'no key update' });
  if (current === undefined) {
    const { rows } = await tx.query('select from drivers where organization_no = $1 and id = $2', [
      organizationNo,
      isUuid(id) ? id : null,
    ]);
    if (rows.length === 0) throw new NoSuchObjectError('driver');
    return;
  }
  check?.(current);
  await eraseDriver(tx, organizationNo, current);
}

/**
 * Erases name and phone number, and ends the links of the driver's rounds of the last ten days and later. The row and
 * its id stay for rounds and totals. A restore gives the time of the deletion.
 */
export async function eraseDriver(
  tx: Tx,
  organizationNo: number,
  current: { no: number },
  deletedAt: string | null = null,
): Promise<void> {
  await tx.query(
    `update drivers set name = null, phone = null, deleted_at = coalesce($2, now()),
       archived_at = coalesce(archived_at, $2, now())
     where no = $1`,
    [current.no, deletedAt],
  );
  await tx.query(
    // In the order of lockRounds.
    `with of_driver as materialized (
       select no from rounds where organization_no = $1 and driver_no = $2 and date > current_date - 10
       order by no for no key update
     )
     update rounds r set link_generation = link_generation + 1 from of_driver d where r.no = d.no`,
    [organizationNo, current.no],
  );
}
