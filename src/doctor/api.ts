import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { DoctorConfig } from '../settings/command_settings.ts';
import { SET_API_SECRETS_KEY } from '../values/api_secrets_key.ts';
import { reasonOf } from '../values/error_reason.ts';
import { type CheckFinding, finding, type NotChecked, notConfigured, note, warning } from './finding.ts';
import { notReadyReasons } from './gateway.ts';

const TIMEOUT_MS = 5_000;

const NotSetUp = Type.Object({ code: Type.Literal('changes_not_set_up') });
const Ready = Type.Object({ through_proxy: Type.Boolean() });

/** Checks that the api answers at its public address, behind a proxy that it trusts. */
export async function checkApi({ apiUrl, publicUrl }: DoctorConfig): Promise<CheckFinding[] | NotChecked> {
  if (apiUrl === '') return notConfigured('PUBLIC_URL, such as https://tanks.example.com');
  try {
    const response = await fetch(`${apiUrl}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) {
      const reasons = await notReadyReasons(response);
      return [finding(`the api is not ready: ${reasons}`, 'fix the reasons; see the log of tankwatch api')];
    }
    const body: unknown = await response.json().catch(() => null);
    // A container is checked at its name in the network of containers, which callers do not use.
    const isUsedByCallers = publicUrl !== '' || /[.:]|^localhost$/.test(new URL(apiUrl).hostname);
    return [
      ...(isUsedByCallers && Value.Check(Ready, body) && !body.through_proxy ? [proxyFinding(apiUrl)] : []),
      ...(isUsedByCallers ? signInFindings(apiUrl) : []),
      ...((await lacksKeyForChanges(apiUrl)) ? [changesFinding(apiUrl)] : []),
    ];
  } catch (error) {
    return [
      warning(
        `the api cannot be reached at ${apiUrl}: ${reasonOf(error)}`,
        /self-signed|certificate/.test(reasonOf(error))
          ? 'get a certificate that browsers and devices trust, or name the file of its authority in NODE_EXTRA_CA_CERTS for this command'
          : 'check that tankwatch api and the proxy in front of it run, and that PUBLIC_URL or API_PORT is correct',
      ),
    ];
  }
}

/**
 * Whether the api may change data over HTTP, but lacks API_SECRETS_KEY. Other responses are expected: 404 if nothing may be
 * changed over HTTP, and 401 because no API key is sent.
 */
async function lacksKeyForChanges(apiUrl: string): Promise<boolean> {
  const response = await fetch(`${apiUrl}/manage/v1/audit`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  return Value.Check(NotSetUp, await response.json().catch(() => null));
}

const changesFinding = (apiUrl: string): CheckFinding =>
  warning(`nothing can be changed over HTTP at ${apiUrl}: the api lacks API_SECRETS_KEY`, SET_API_SECRETS_KEY);

/** Whether only this machine can use the address. Browsers keep cookies there also without TLS. */
function isOnlyLocal(url: string): boolean {
  const { hostname } = new URL(url);
  return /^(.+\.)?localhost$|^127\.|^\[::1\]$/.test(hostname);
}

/** Callers reach the api without a proxy. This is only a note if only this machine can reach the address. */
export const proxyFinding = (url: string): CheckFinding =>
  isOnlyLocal(url)
    ? note(`only this machine can reach the api at ${url}; put a proxy in front of it before others can`)
    : warning(
        `callers reach the api at ${url} without a proxy that it trusts, so a flood of one caller slows all others down`,
        'put a proxy in front of it, such as deploy/nginx, and set TRUSTED_PROXIES of api and gateway to its address',
      );

export const signInFindings = (url: string): CheckFinding[] =>
  url.startsWith('https://') || isOnlyLocal(url)
    ? []
    : [
        warning(
          `nobody can sign in to the console at ${url}: browsers keep its cookie only over https`,
          'put a proxy with a certificate in front of it, such as deploy/nginx, and set PUBLIC_URL to the address that begins with https://',
        ),
      ];
