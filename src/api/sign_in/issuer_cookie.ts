import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { openSecret, sealSecret } from '../../keys/sealed_secret.ts';
import type { SignInProof } from '../../oidc/provider_sign_in.ts';
import { parseJson } from '../../values/json.ts';
import { Closed } from '../schemas/values.ts';

const CONTEXT = 'cookie of a sign-in with an issuer';

/**
 * The content of the cookie that a browser keeps while its user signs in at the provider. It is encrypted, because only
 * the api may read the proof.
 */
export interface StartedSignIn extends SignInProof {
  issuerId: string;
  returnTo: string;
  /** True if no page of the provider is shown. A failure is then not reported. */
  isSilent: boolean;
  /** True to link the account at this issuer to the person of the current session. */
  isLink: boolean;
  expiresAtMs: number;
}

const StartedSchema = Compile(
  Closed({
    state: Type.String(),
    nonce: Type.String(),
    codeVerifier: Type.String(),
    issuerId: Type.String(),
    returnTo: Type.String(),
    isSilent: Type.Boolean(),
    isLink: Type.Boolean(),
    expiresAtMs: Type.Number(),
  }),
);

export const sealSignIn = (apiSecretsKey: string, started: StartedSignIn): string =>
  sealSecret(apiSecretsKey, JSON.stringify(started), CONTEXT);

/** Undefined if the cookie is missing, too old, or not from this api. */
export function openSignIn(apiSecretsKeys: readonly string[], cookie: string | undefined): StartedSignIn | undefined {
  if (cookie === undefined) return undefined;
  try {
    const started: unknown = parseJson(openSecret(apiSecretsKeys, cookie, CONTEXT));
    return StartedSchema.Check(started) && Date.now() < started.expiresAtMs ? started : undefined;
  } catch {
    return undefined;
  }
}
