import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { errorCode } from '../values/error_code.ts';
import { MINUTE_MS } from '../values/time.ts';
import { type Issuer, isLocalUrl } from './issuer.ts';
import { needsUserInfo, type Person, readPerson } from './person.ts';
import { providerFetch } from './provider_fetch.ts';

const TIMEOUT_SECONDS = 5;
/** After this time, the endpoints of a provider are read again. Its signing keys are read again whenever a token has an unknown key. */
const KEPT_MS = 10 * MINUTE_MS;

/** Random values for one sign-in. The response of the provider must match them. */
export interface SignInProof {
  state: string;
  nonce: string;
  codeVerifier: string;
}

export interface AuthorizationOptions {
  redirectUrl: string;
  /** `none` makes the provider show no page to the person. `login` makes the person sign in at the provider again. */
  prompt?: 'none' | 'login' | undefined;
  /** The address that the person has typed. */
  loginHint?: string | undefined;
}

/** The provider did not identify the person (such as `access_denied` or `login_required`), did not answer, or sent an invalid response. */
export class ProviderError extends Error {
  readonly kind: 'refused' | 'unreachable' | 'invalid';

  constructor(kind: ProviderError['kind'], cause: unknown) {
    super(cause instanceof Error ? cause.message : 'unknown', { cause });
    this.kind = kind;
  }
}

function problemOf(error: unknown): ProviderError {
  if (error instanceof AuthorizationResponseError) return new ProviderError('refused', error);
  const code = errorCode(error);
  // If the provider cannot be reached, fetch throws a TypeError without a code. The error of a response that is too large has a code.
  const isUnreachable =
    code === undefined ? error instanceof TypeError : ['OAUTH_TIMEOUT', 'OAUTH_ABORT'].includes(code);
  return new ProviderError(isUnreachable ? 'unreachable' : 'invalid', error);
}

/** Sends the requests to the providers of all issuers, and caches their endpoints. */
export class Providers {
  readonly #known = new Map<string, { readAtMs: number; configuration: Promise<Configuration> }>();
  readonly #newFetch: () => CustomFetch;

  constructor(newFetch: () => CustomFetch = providerFetch) {
    this.#newFetch = newFetch;
  }

  /** Returns the address to which the browser is redirected, and the values that the response must match. */
  async authorize(
    issuer: Issuer,
    { redirectUrl, prompt, loginHint }: AuthorizationOptions,
  ): Promise<{ url: string; proof: SignInProof }> {
    const configuration = await this.#configuration(issuer);
    const proof = { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() };
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUrl,
      scope: ['openid', 'email', 'profile', ...issuer.scopes].join(' '),
      state: proof.state,
      nonce: proof.nonce,
      code_challenge: await calculatePKCECodeChallenge(proof.codeVerifier),
      code_challenge_method: 'S256',
      ...(prompt && { prompt }),
      ...(loginHint && { login_hint: loginHint }),
    });
    return { url: url.href, proof };
  }

  /**
   * Exchanges the code in `returned`, the address to which the provider redirected the browser. Returns undefined if the issuer sets roles
   * and the groups are unknown. Throws a ProviderError if anything is invalid: state, issuer, code, signature, audience, nonce, times.
   */
  async identify(issuer: Issuer, returned: URL, proof: SignInProof): Promise<Person | undefined> {
    try {
      return readPerson(await this.#readClaims(issuer, returned, proof), issuer);
    } catch (error) {
      throw problemOf(error);
    }
  }

  async #readClaims(issuer: Issuer, returned: URL, { state, nonce, codeVerifier }: SignInProof) {
    const configuration = await this.#configuration(issuer);
    const tokens = await authorizationCodeGrant(configuration, returned, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new Error('the provider sent no ID token');
    const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
    const more =
      hasUserInfo && needsUserInfo(claims, issuer)
        ? await fetchUserInfo(configuration, tokens.access_token, claims.sub)
        : {};
    return { ...more, ...claims };
  }

  /** Returns the address at which a person signs out at the provider; null if the provider has none or does not answer. */
  async endSessionUrl(issuer: Issuer, returnUrl: string): Promise<string | null> {
    try {
      const configuration = await this.#configuration(issuer);
      if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
      return buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnUrl }).href;
    } catch {
      return null;
    }
  }

  /** Reads the configuration of a provider, or returns the cached one. Failures are not cached. */
  #configuration(issuer: Issuer): Promise<Configuration> {
    // The key contains the client, so that a changed client gets a new entry.
    const key = JSON.stringify([issuer.id, issuer.url, issuer.clientId, issuer.clientSecret]);
    const known = this.#known.get(key);
    if (known !== undefined && Date.now() - known.readAtMs < KEPT_MS) return known.configuration;
    const configuration = discover(issuer, this.#newFetch()).catch((error: unknown) => {
      this.#known.delete(key);
      throw error;
    });
    this.#known.set(key, { readAtMs: Date.now(), configuration });
    return configuration;
  }
}

/** Reads the endpoints of a provider. Throws unless the document names exactly `url` as its issuer. */
export async function discover(
  { url, clientId, clientSecret }: Pick<Issuer, 'url' | 'clientId' | 'clientSecret'>,
  fetch: CustomFetch = providerFetch(),
) {
  const configuration = await discovery(
    new URL(url),
    clientId,
    undefined,
    // The method by which the client authenticates is known only after the discovery.
    (server, client, body, headers) => {
      const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
      const authenticate =
        clientSecret === null
          ? None()
          : methods.includes('client_secret_basic')
            ? ClientSecretBasic(clientSecret)
            : ClientSecretPost(clientSecret);
      return authenticate(server, client, body, headers);
    },
    {
      timeout: TIMEOUT_SECONDS,
      [customFetch]: fetch,
      // Without enableNonRepudiationChecks, openid-client relies on TLS and does not verify the signature of an ID token.
      execute: [enableNonRepudiationChecks, ...(isLocalUrl(url) ? [allowInsecureRequests] : [])],
    },
  );
  const { issuer } = configuration.serverMetadata();
  // openid-client skips this check for Microsoft, whose "common" issuer accepts the people of every organization.
  if (issuer !== url) throw new Error(`the provider calls itself ${issuer}, not ${url}`);
  return configuration;
}
