import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { Provider } from 'oidc-provider';

/** A person at the provider, with the claims that the provider sends. */
export interface Account {
  sub: string;
  email?: unknown;
  email_verified?: unknown;
  name?: string;
  groups?: unknown;
  [claim: string]: unknown;
}

/** How an ID token differs from what the provider has signed. */
export interface Forgery {
  claims?: JWTPayload;
  /** Default: the key of the provider. */
  signedWith?: 'another key' | 'nothing';
}

export interface TestProvider {
  /** The issuer identifier. */
  url: string;
  accounts: Map<string, Account>;
  /** Changes the ID tokens that the token endpoint returns. */
  forge(forgery: Forgery | null): void;
  /** By path, such as /jwks: a function that changes the response. */
  changes: Map<string, (answer: string) => string>;
  /** Sets the redirect URLs that the client may use. Call it once, before the first sign-in. */
  start(redirectUrls: readonly string[], returnUrl: string): void;
  /** Tokens and secrets, which must not be in any log. */
  secrets: string[];
  close(): Promise<void>;
}

export const CLIENT = { id: 'tankwatch', secret: 'a client secret of the provider' };

/** A certified provider of OpenID Connect in this process. Its login page accepts every password. */
export async function startProvider(): Promise<TestProvider> {
  const [own, foreign] = await Promise.all([generateKeyPair('RS256', { extractable: true }), generateKeyPair('RS256')]);
  const key = { ...(await exportJWK(own.privateKey)), kid: 'own', alg: 'RS256', use: 'sig' };
  const accounts = new Map<string, Account>();
  const secrets: string[] = [CLIENT.secret];
  const changes = new Map<string, (answer: string) => string>();
  let forgery: Forgery | null = null;
  let handle: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;

  const forgeToken = async (idToken: string, { claims = {}, signedWith }: Forgery): Promise<string> => {
    const payload = { ...decodeJwt(idToken), ...claims };
    if (signedWith === 'nothing') return new UnsecuredJWT(payload).encode();
    const signer = signedWith === 'another key' ? foreign.privateKey : own.privateKey;
    return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: 'own', typ: 'JWT' }).sign(signer);
  };
  const changeTokens = async (answer: string): Promise<string> => {
    const tokens: Record<string, unknown> = JSON.parse(answer);
    if (forgery !== null && typeof tokens['id_token'] === 'string')
      tokens['id_token'] = await forgeToken(tokens['id_token'], forgery);
    for (const name of ['id_token', 'access_token']) if (typeof tokens[name] === 'string') secrets.push(tokens[name]);
    return JSON.stringify(tokens);
  };
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    const change = changes.get(path);
    if (path === '/token' || change !== undefined) {
      const end = response.end.bind(response);
      // Koa sends the whole answer with one call.
      response.end = ((body: string | Buffer) => {
        void (async () => {
          const answer = path === '/token' ? await changeTokens(String(body)) : String(body);
          const text = change?.(answer) ?? answer;
          response.setHeader('content-length', Buffer.byteLength(text));
          end(text);
        })();
        return response;
      }) as typeof response.end;
    }
    handle?.(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    accounts,
    secrets,
    changes,
    forge(next) {
      forgery = next;
    },
    start(redirectUrls, returnUrl) {
      const provider = new Provider(url, {
        clients: [
          {
            client_id: CLIENT.id,
            client_secret: CLIENT.secret,
            redirect_uris: redirectUrls,
            post_logout_redirect_uris: [returnUrl],
          },
        ],
        jwks: { keys: [key] },
        cookies: { keys: ['a key that signs cookies'] },
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups', '_claim_names'] },
        // Other providers put the claims of scopes into the ID token, too.
        conformIdTokenClaims: false,
        pkce: { required: () => true },
        findAccount(_context: unknown, sub: string) {
          const account = accounts.get(sub);
          return account && { accountId: sub, claims: () => ({ ...account }) };
        },
        ttl: { Interaction: 600, Session: 3_600, Grant: 3_600, AccessToken: 600, IdToken: 600 },
      });
      handle = provider.callback();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A browser at the provider: it keeps the cookies of the provider, and types the name of the account. */
export class ProviderBrowser {
  readonly #cookies = new Map<string, string>();

  /**
   * Follows the address to the provider's pages and back. Returns the address of our callback, with its code or its error.
   */
  async walk(url: string, sub: string): Promise<URL> {
    const { origin } = new URL(url);
    let next = new URL(url);
    let form: URLSearchParams | undefined;
    for (let step = 0; step < 20; step++) {
      if (next.origin !== origin) return next;
      const response = await this.#fetch(next, form);
      form = undefined;
      const location = response.headers.get('location');
      if (location !== null) {
        next = new URL(location, next);
        continue;
      }
      const page = await response.text();
      const [, action] = /<form[^>]* action="([^"]+)"/.exec(page) ?? [];
      const [, prompt] = /name="prompt" value="(\w+)"/.exec(page) ?? [];
      if (action === undefined || prompt === undefined)
        throw new Error(`no form at ${next.href}: ${page.slice(0, 500)}`);
      next = new URL(action, next);
      form = new URLSearchParams({ prompt, ...(prompt === 'login' && { login: sub, password: 'any' }) });
    }
    throw new Error('the provider redirects too often');
  }

  async #fetch(url: URL, form: URLSearchParams | undefined): Promise<Response> {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: form }),
    });
    for (const text of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }
}
