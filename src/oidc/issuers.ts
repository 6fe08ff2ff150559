import { lockOrganization } from '../catalog/organizations.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Db, Tx } from '../db/pool.ts';
import { sealedColumn } from '../keys/sealed_column.ts';
import { sealSecret } from '../keys/sealed_secret.ts';
import { UserError } from '../values/user_error.ts';
import { uuid7 } from '../values/uuid7.ts';
import { clientSecretContext, type Issuer } from './issuer.ts';

/** The fields of an issuer that an operator sets. An undefined field keeps its value, or the default for a new issuer. */
export interface IssuerFields extends Partial<Omit<Issuer, 'id' | 'url'>> {
  /** The text of the button on the sign-in page; null for no button. */
  label?: string | null;
  /** The domains of mail addresses, in lower case. */
  domains?: readonly string[];
}

export interface NewIssuer extends IssuerFields {
  url: string;
  clientId: string;
}

export async function addIssuer(
  tx: Tx,
  organizationNo: number,
  { url, ...fields }: NewIssuer,
  apiSecretsKey: string,
): Promise<{ id: string }> {
  await lockOrganization(tx, organizationNo);
  const { rows } = await tx.query(
    'select from issuers where organization_no = $1 and url = $2 and deleted_at is null',
    [organizationNo, url],
  );
  if (rows.length > 0)
    throw new UserError(`the organization has the issuer ${url} already; change it with: tankwatch issuers update`);
  const id = uuid7();
  await tx.query('insert into issuers (id, organization_no, url, client_id) values ($1, $2, $3, $4)', [
    id,
    organizationNo,
    url,
    fields.clientId,
  ]);
  await setFields(tx, id, fields, apiSecretsKey);
  return { id };
}

export async function updateIssuer(
  tx: Tx,
  organizationNo: number,
  reference: string,
  fields: IssuerFields,
  apiSecretsKey: string,
): Promise<{ id: string }> {
  await lockOrganization(tx, organizationNo);
  const { id } = await findIssuer(tx, organizationNo, reference);
  await setFields(tx, id, fields, apiSecretsKey);
  return { id };
}

async function setFields(tx: Tx, id: string, fields: IssuerFields, apiSecretsKey: string): Promise<void> {
  const { clientSecret } = fields;
  const sealed = clientSecret && sealSecret(apiSecretsKey, clientSecret, clientSecretContext(id));
  const given = [
    ['client_id', fields.clientId],
    ['sealed_client_secret', sealed],
    ['label', fields.label],
    ['domains', fields.domains],
    ['scopes', fields.scopes],
    ['group_claim', fields.groupClaim],
    ['group_roles', fields.groupRoles],
  ] as const;
  const changes = given.filter(([, value]) => value !== undefined);
  if (changes.length === 0) return;
  const assignments = changes.map(([column], index) => `${column} = $${index + 2}`).join(', ');
  await tx.query(`update issuers set ${assignments} where id = $1`, [id, ...changes.map(([, value]) => value)]);
}

/** Reads the issuers of an organization, newest first, without their client secrets. */
export async function listIssuers(db: Db, organizationNo: number): Promise<Record<string, unknown>[]> {
  const { rows } = await db.query<Record<string, unknown>>(
    `select id, url, client_id, sealed_client_secret is not null as has_secret, label, array_to_string(domains, ' ') as domains,
            array_to_string(scopes, ' ') as scopes, group_claim, group_roles as groups,
            (select count(*)::int from identities where issuer_no = i.no) as people, created_at
     from issuers i where organization_no = $1 and deleted_at is null order by no desc`,
    [organizationNo],
  );
  return rows;
}

/** Removes an issuer, and ends the sessions of its people within a second. Returns the number of its people. */
export async function removeIssuer(
  tx: Tx,
  organizationNo: number,
  reference: string,
  { keepsRoles }: { keepsRoles: boolean },
): Promise<{ id: string; people: number }> {
  await lockOrganization(tx, organizationNo);
  const { no, id } = await findIssuer(tx, organizationNo, reference);
  // Locks rows in the order of a sign-in: the issuer, the contacts, their sessions. Triggers end the sessions.
  await tx.query('select from issuers where no = $1 for no key update', [no]);
  const { rows: people } = await tx.query<{ no: number }>(
    'select no from contacts where no in (select contact_no from identities where issuer_no = $1) order by no for no key update',
    [no],
  );
  // Contacts with roles could still sign in by mail after the removal, even people who were removed at the issuer.
  if (!keepsRoles)
    await tx.query(`update contacts set roles = '{}' where no = any ($1)`, [people.map((person) => person.no)]);
  await tx.query('update issuers set deleted_at = now(), sealed_client_secret = null where no = $1', [no]);
  return { id, people: people.length };
}

async function findIssuer(db: Db, organizationNo: number, reference: string): Promise<{ no: number; id: string }> {
  const { rows } = await db.query<{ no: number; id: string }>(
    'select no, id from issuers where organization_no = $1 and deleted_at is null and (id::text = lower($2) or url = $2)',
    [organizationNo, reference],
  );
  if (rows[0] === undefined) throw new UserError(`there is no issuer ${reference}; see: tankwatch issuers list`);
  return onlyRow(rows);
}

export const CLIENT_SECRETS = sealedColumn('issuers', 'sealed_client_secret', clientSecretContext);
