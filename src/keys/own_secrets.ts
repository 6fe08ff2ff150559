import type { Db, Tx } from '../db/pool.ts';
import type { DeviceSecretsConfig, LinkSecretsConfig } from '../settings/secret_settings.ts';
import { deviceSecretContext, linkSecretContext, organizationSecrets } from './organization_secret.ts';
import { openSecret, sealSecret } from './sealed_secret.ts';

/** The two secrets that an organization takes along when it moves to another cell. */
export interface OwnSecrets {
  device_secret: string;
  link_secret: string;
}

interface OrganizationRef {
  no: number;
  code: string;
}

/** Stores the secrets of an organization that comes from another cell. */
export async function storeOwnSecrets(
  tx: Tx,
  secretsKey: string,
  { no, code }: OrganizationRef,
  { device_secret, link_secret }: OwnSecrets,
): Promise<void> {
  await tx.query(
    'insert into organization_secrets (organization_no, sealed_device_secret, sealed_link_secret) values ($1, $2, $3)',
    [
      no,
      sealSecret(secretsKey, device_secret, deviceSecretContext(code)),
      sealSecret(secretsKey, link_secret, linkSecretContext(code)),
    ],
  );
}

/** The secret from which the passwords of an organization's devices are derived now. */
export async function readDeviceSecret(
  db: Db,
  { deviceSecrets, secretsKey }: DeviceSecretsConfig,
  { no, code }: OrganizationRef,
): Promise<string> {
  const sealed = await readSealed(db, no, 'sealed_device_secret');
  const own = sealed === null ? null : openSecret(secretsKey, sealed, deviceSecretContext(code));
  return organizationSecrets(deviceSecrets, code, own)[0];
}

/** The secret with which the links in mails to an organization's customers are signed now. */
export async function readLinkSecret(
  db: Db,
  config: LinkSecretsConfig,
  { no, code }: OrganizationRef,
): Promise<string> {
  const sealed = await readSealed(db, no, 'sealed_link_secret');
  return linkSecrets(config, code, sealed)[0];
}

/** All secrets that a link in a mail may be signed with, the current one first. */
export function linkSecrets(
  { linkSecrets: installationSecrets, secretsKey }: LinkSecretsConfig,
  organizationCode: string,
  sealed: string | null,
): [string, ...string[]] {
  const own = sealed === null ? null : openSecret(secretsKey, sealed, linkSecretContext(organizationCode));
  return organizationSecrets(installationSecrets, organizationCode, own);
}

/** Reads one column only: the worker has no right on the device secret. */
async function readSealed(
  db: Db,
  organizationNo: number,
  column: 'sealed_device_secret' | 'sealed_link_secret',
): Promise<string | null> {
  const { rows } = await db.query<{ sealed: string }>(
    `select ${column} as sealed from organization_secrets where organization_no = $1`,
    [organizationNo],
  );
  return rows[0]?.sealed ?? null;
}
