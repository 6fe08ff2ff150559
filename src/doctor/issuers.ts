import { openSecret } from '../keys/sealed_secret.ts';
import { clientSecretContext } from '../oidc/issuer.ts';
import { type CheckContext, type CheckFinding, finding, firstOfMany, warning } from './finding.ts';

const TIMEOUT_MS = 5_000;

interface StoredIssuer {
  id: string;
  url: string;
  code: string;
  sealed: string | null;
}

/**
 * Checks that people can sign in with the issuers that operators have added. Without SECRETS_KEY, their client secrets
 * are not checked.
 */
export async function checkIssuers({ pool, config }: CheckContext): Promise<CheckFinding[]> {
  const { rows } = await pool.query<StoredIssuer>(
    `select i.id, i.url, o.code, i.sealed_client_secret as sealed
     from issuers i join organizations o on o.no = i.organization_no where i.deleted_at is null order by i.no`,
  );
  if (rows.length === 0 || config === undefined) return [];
  const unreadable =
    config.apiSecretsKeys.length === 0 ? [] : rows.filter((row) => !canDecrypt(config.apiSecretsKeys, row));
  const [first] = unreadable;
  return [
    ...(first === undefined
      ? []
      : [
          finding(
            firstOfMany(
              `the client secret of the issuer ${first.url} of ${first.code} cannot be decrypted`,
              unreadable.length,
            ),
            'set SECRETS_KEY_PREVIOUS to the value it was stored with and run tankwatch secrets reseal, or store it again with tankwatch issuers update --client-secret-file',
          ),
        ]),
    ...((await isOffered(config.apiUrl)) ? [] : [notOffered(config.apiUrl)]),
  ];
}

function canDecrypt(apiSecretsKeys: readonly string[], { id, sealed }: StoredIssuer): boolean {
  if (sealed === null) return true;
  try {
    openSecret(apiSecretsKeys, sealed, clientSecretContext(id));
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether the api offers sign-in with an issuer. It lists the ways to sign in when it refuses a request without a
 * session. Another check reports an api that does not answer.
 */
async function isOffered(apiUrl: string): Promise<boolean> {
  if (apiUrl === '') return true;
  try {
    const { headers } = await fetch(`${apiUrl}/session`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const schemes = headers.get('www-authenticate');
    return schemes === null || schemes.includes('OpenID');
  } catch {
    return true;
  }
}

const notOffered = (apiUrl: string): CheckFinding =>
  warning(
    `nobody can sign in with an issuer at ${apiUrl}: the api lacks API_SECRETS_KEY or PUBLIC_URL`,
    'set API_SECRETS_KEY of the api to what tankwatch secrets api-key prints, and PUBLIC_URL, and restart it',
  );
