import type { ConsoleRole } from '../keys/console_roles.ts';

/** A provider of OpenID Connect with which people of one organization sign in. */
export interface Issuer {
  id: string;
  /** The issuer identifier. Tokens must contain exactly this text. */
  url: string;
  clientId: string;
  /** The secret of the client; null for a public client. */
  clientSecret: string | null;
  /** Additional scopes besides openid, email and profile. */
  scopes: readonly string[];
  /** The name of the claim with the groups of a person. */
  groupClaim: string;
  /** The roles of each group. Without groups, the issuer does not set roles. */
  groupRoles: Readonly<Record<string, readonly ConsoleRole[]>>;
}

/** The context that the encrypted client secret is bound to (see sealSecret). */
export const clientSecretContext = (issuerId: string): string => `client secret of issuer ${issuerId}`;

/** Returns true for a provider on this machine, which is for development. All other providers need TLS. */
export const isLocalUrl = (url: string): boolean => /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/.test(url);
