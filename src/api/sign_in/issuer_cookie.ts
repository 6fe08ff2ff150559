import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { openSecret, sealSecret } from '../../keys/sealed_secret.ts';
import type { SignInProof } from '../../oidc/provider.ts';
import { parseJson } from '../../values/json.ts';

const CONTEXT = 'cookie of a sign-in with an issuer';

/** What a browser keeps while its person is at the provider. It is encrypted: the proof must not leave this browser and us. */
export interface StartedSignIn extends SignInProof {
  issuerId: string;
  returnTo: string;
  /** Without a page of the provider: a failure is none. */
  isSilent: boolean;
  /** The person of the session in this browser wants to sign in with this issuer from now on. */
  isLink: boolean;
  expiresAtMs: number;
}

const Started = Compile(
  Type.Object(
    {
      state: Type.String(),
      nonce: Type.String(),
      codeVerifier: Type.String(),
      issuerId: Type.String(),
      returnTo: Type.String(),
      isSilent: Type.Boolean(),
      isLink: Type.Boolean(),
      expiresAtMs: Type.Number(),
    },
    { additionalProperties: false },
  ),
);

export const sealSignIn = (apiSecretsKey: string, started: StartedSignIn): string =>
  sealSecret(apiSecretsKey, JSON.stringify(started), CONTEXT);

/** Undefined: the cookie is missing, too old, or not from here. */
export function openSignIn(apiSecretsKeys: readonly string[], cookie: string | undefined): StartedSignIn | undefined {
  if (cookie === undefined) return undefined;
  try {
    const started: unknown = parseJson(openSecret(apiSecretsKeys, cookie, CONTEXT));
    return Started.Check(started) && Date.now() < started.expiresAtMs ? started : undefined;
  } catch {
    return undefined;
  }
}
