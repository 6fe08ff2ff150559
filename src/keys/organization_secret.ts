import { createHmac } from 'node:crypto';

/**
 * The secret of one organization, derived from a secret of the installation. Device passwords and links are derived
 * from the organization's secret and not from the installation's, so that an organization can move to another cell with
 * its own secret: its devices keep their passwords, and the new cell learns nothing about other organizations.
 */
export function organizationSecret(installationSecret: string, organizationCode: string): string {
  return createHmac('sha256', installationSecret).update(organizationCode).digest('base64url');
}

/**
 * The secrets that an organization uses, the current one first: its own if it came from another cell, otherwise one
 * derived from each secret of the installation. After a rotation the installation accepts its previous secret for a
 * while.
 */
export function organizationSecrets(
  installationSecrets: readonly string[],
  organizationCode: string,
  ownSecret: string | null,
): [string, ...string[]] {
  if (ownSecret !== null) return [ownSecret];
  const [current = '', ...previous] = installationSecrets;
  const derive = (secret: string): string => organizationSecret(secret, organizationCode);
  return [derive(current), ...previous.map(derive)];
}

/** The context that a sealed secret is bound to (see sealSecret). */
export const deviceSecretContext = (organizationCode: string): string => `device secret of ${organizationCode}`;
export const linkSecretContext = (organizationCode: string): string => `link secret of ${organizationCode}`;
