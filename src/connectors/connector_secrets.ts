import { sealedColumn } from '../keys/sealed_column.ts';
import { openSecret } from '../keys/sealed_secret.ts';

/** The context that the encrypted secret is bound to (see sealSecret). */
export const connectorContext = (connectorId: string): string => `the connector ${connectorId}`;

/** Throws a UserError if the secret was stored with another SECRETS_KEY. */
export const openConnectorSecret = (
  secretsKeys: readonly string[],
  id: string,
  sealed: string | null,
): string | null => (sealed === null ? null : openSecret(secretsKeys, sealed, connectorContext(id)));

export const CONNECTOR_SECRETS = sealedColumn('connectors', 'sealed_secret', connectorContext);
