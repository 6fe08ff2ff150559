import type { AccessWriters } from '../../db/access_writers.ts';
import { onlyRow } from '../../db/only_row.ts';
import type { Readers, Statement } from '../../db/readers.ts';
import { notFound, unavailable } from '../../http/problem.ts';
import type { Credential } from '../../keys/key_format.ts';
import { openSecret } from '../../keys/sealed_secret.ts';
import { clientSecretContext, type Issuer } from '../../oidc/issuer.ts';
import type { Person } from '../../oidc/person.ts';
import { Providers } from '../../oidc/provider_sign_in.ts';
import { addressGroup } from '../../values/client_address.ts';
import { senderAlone } from '../../values/fair_queue.ts';
import { MINUTE_MS } from '../../values/time.ts';
import { isUuid, uuid7 } from '../../values/uuid7.ts';
import { openSignIn, type StartedSignIn, sealSignIn } from './issuer_cookie.ts';
import { newSession } from './new_session.ts';

/** The time that a person may take at the provider. */
export const ISSUER_SIGN_IN_MS = 10 * MINUTE_MS;

const OF_ID: Statement = {
  name: 'issuer_of_id',
  text: 'select *, slot as beginning from sign_in_issuers where id = $1',
};
/**
 * The issuers of the organization ($2) of a person who is signed in, otherwise those of a domain ($1), otherwise those
 * with a button. There are some dozens of rows: one for each organization that has an issuer.
 */
const OFFERED: Statement = {
  name: 'offered_issuers',
  text: `select id, coalesce(label, organization_name) as label from sign_in_issuers
    where case when $2::int is not null then organization_no = $2
               when $1::text is not null then $1 = any (domains) else label is not null end
    order by 2, 1 limit 50`,
};
const HAS_DOMAINS: Statement = {
  name: 'issuers_have_domains',
  text: `select exists (select from sign_in_issuers where domains <> '{}') as found`,
};
const OF_SESSION: Statement = { name: 'issuer_of_session', text: 'select id from session_issuers where prefix = $1' };
const BEGIN: Statement = {
  name: 'sign_in_with_issuer',
  text: 'select sign_in_with_issuer($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) as outcome',
};

interface IssuerRow {
  id: string;
  url: string;
  client_id: string;
  sealed_client_secret: string | null;
  scopes: string[];
  group_claim: string;
  group_roles: Issuer['groupRoles'];
  /** The beginning of the session's prefix. */
  beginning: string;
  language: string;
}

/** Why a person whom the issuer has identified may not sign in. */
export type Refusal = 'no_issuer' | 'unknown' | 'no_role' | 'no_address' | 'address_taken' | 'not_linked' | 'no_groups';

export interface IssuerSignInOptions {
  readers: Readers;
  writers: AccessWriters;
  /** The keys that encrypt cookies and decrypt client secrets, the current key first. */
  apiSecretsKeys: readonly string[];
  publicUrl: string;
  sessionMinutes: number;
}

export interface IssuerSignInRequest {
  returnTo: string;
  isSilent: boolean;
  isLink: boolean;
  loginHint: string | undefined;
}

/** Signs people in with the issuers of their organizations. */
export class IssuerSignIn {
  readonly #options: IssuerSignInOptions;
  readonly #providers: Providers;

  constructor(options: IssuerSignInOptions, providers = new Providers()) {
    this.#options = options;
    this.#providers = providers;
  }

  /** Returns an instance for requests from this address, which is the sender for fair queueing. */
  forAddress(address: string): IssuerSignIn {
    const { readers, writers } = this.#options;
    const sender = senderAlone(addressGroup(address));
    return new IssuerSignIn(
      { ...this.#options, readers: readers.as(sender), writers: writers.as(sender) },
      this.#providers,
    );
  }

  /**
   * The issuers that are offered: for a person who is signed in, the issuers of the organization; otherwise the issuers
   * of the domain, or without a domain the issuers with a button.
   */
  readOffered(domain: string | null, organizationNo: number | null): Promise<{ id: string; label: string }[]> {
    return this.#options.readers.query(OFFERED, [domain, organizationNo]);
  }

  /**
   * Whether any issuer has domains of addresses. If not, the sign-in page need not ask for the issuer of an address.
   */
  async hasDomains(): Promise<boolean> {
    return onlyRow(await this.#options.readers.query<{ found: boolean }>(HAS_DOMAINS, [])).found;
  }

  /** The address at the provider, and the cookie of the browser that goes there. Throws 404 and 503. */
  async begin(
    id: string,
    { isSilent, isLink, loginHint, returnTo }: IssuerSignInRequest,
  ): Promise<{ url: string; cookie: string }> {
    const row = await this.#find(id);
    if (row === undefined) throw notFound('issuer');
    const prompt = isSilent ? 'none' : isLink ? 'login' : undefined;
    const { url, proof } = await this.#providers
      .authorize(this.#open(row), { redirectUrl: this.redirectUrl(row.id), prompt, loginHint })
      .catch((error: unknown) => {
        throw unavailable('The sign-in service of your organization does not answer. Try again in a minute.', error);
      });
    const started = {
      ...proof,
      issuerId: row.id,
      returnTo,
      isSilent,
      isLink,
      expiresAtMs: Date.now() + ISSUER_SIGN_IN_MS,
    };
    return { url, cookie: sealSignIn(this.#options.apiSecretsKeys[0] ?? '', started) };
  }

  /** Opens the cookie of the sign-in that the browser began with this issuer. Undefined if there is none, or it is too old. */
  openStarted(id: string, cookie: string | undefined): StartedSignIn | undefined {
    const started = openSignIn(this.#options.apiSecretsKeys, cookie);
    return started?.issuerId === id ? started : undefined;
  }

  /** The language of the issuer's organization. */
  async readLanguage(id: string): Promise<string> {
    return (await this.#find(id))?.language ?? 'en';
  }

  /**
   * Begins a session, or returns why not. `search` is the query of the address to which the browser came back.
   * `current` is the session that this browser already has.
   */
  async finish(
    started: StartedSignIn,
    search: string,
    current: Credential | undefined,
  ): Promise<{ session: string } | { refusal: Refusal }> {
    const row = await this.#find(started.issuerId);
    if (row === undefined) return { refusal: 'no_issuer' };
    const returned = new URL(`${this.redirectUrl(row.id)}${search}`);
    const person = await this.#providers.identify(this.#open(row), returned, started);
    if (person === undefined) return { refusal: 'no_groups' };
    return this.#beginSession(row, person, started.isLink, current);
  }

  /** The address where the person of this session can also sign out at the provider; null if there is none. */
  async endSessionUrl(sessionPrefix: string): Promise<string | null> {
    const { readers, publicUrl } = this.#options;
    const [found] = await readers.query<{ id: string }>(OF_SESSION, [sessionPrefix]);
    const row = found && (await this.#find(found.id));
    return row === undefined ? null : this.#providers.endSessionUrl(this.#open(row), `${publicUrl}/console/`);
  }

  /** The address contains the issuer's id, so that a code of another issuer cannot come back to it. */
  redirectUrl(id: string): string {
    return `${this.#options.publicUrl}/session/issuers/${id}/callback`;
  }

  async #beginSession(
    { id, beginning }: IssuerRow,
    { subject, email, isEmailVerified, name, roles }: Person,
    isLink: boolean,
    current: Credential | undefined,
  ): Promise<{ session: string } | { refusal: Refusal }> {
    const { writers, sessionMinutes } = this.#options;
    const { text, result } = await newSession(beginning, (...session) =>
      writers.query<{ outcome: 'signed_in' | Refusal }>(BEGIN, [
        id,
        subject,
        email,
        isEmailVerified,
        name,
        roles,
        isLink,
        current?.prefix ?? null,
        current?.secretSha256 ?? null,
        uuid7(),
        ...session,
        sessionMinutes,
      ]),
    );
    const { outcome } = onlyRow(result);
    return outcome === 'signed_in' ? { session: text } : { refusal: outcome };
  }

  async #find(id: string): Promise<IssuerRow | undefined> {
    if (!isUuid(id)) return undefined;
    const [row] = await this.#options.readers.query<IssuerRow>(OF_ID, [id]);
    return row;
  }

  #open(row: IssuerRow): Issuer {
    const { id, url, client_id, sealed_client_secret: sealed, scopes, group_claim, group_roles } = row;
    const { apiSecretsKeys } = this.#options;
    return {
      id,
      url,
      clientId: client_id,
      clientSecret: sealed === null ? null : openSecret(apiSecretsKeys, sealed, clientSecretContext(id)),
      scopes,
      groupClaim: group_claim,
      groupRoles: group_roles,
    };
  }
}
