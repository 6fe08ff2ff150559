import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { DoctorConfig } from '../settings/command_settings.ts';
import { reasonOf } from './error_reason.ts';
import { type CheckFinding, finding, type NotChecked, notConfigured, warning } from './finding.ts';

const TIMEOUT_MS = 5_000;

const Ready = Type.Object({ through_proxy: Type.Boolean() });

/** Whether the api answers at its public address, behind a proxy that it trusts. */
export async function checkApi({ publicUrl }: DoctorConfig): Promise<CheckFinding[] | NotChecked> {
  if (publicUrl === '') return notConfigured('PUBLIC_URL, such as https://tanks.example.com');
  try {
    const response = await fetch(`${publicUrl}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const body: unknown = await response.json().catch(() => null);
    if (!response.ok)
      return [finding(`the api is not ready: /readyz returned ${response.status}`, 'see the log of tankwatch api')];
    if (!Value.Check(Ready, body) || body.through_proxy) return [];
    return [
      warning(
        `callers reach the api at ${publicUrl} without a proxy that it trusts, so a flood of one caller slows all others down`,
        'put a proxy in front of it, such as deploy/nginx, and set TRUSTED_PROXIES of api and gateway to its address',
      ),
    ];
  } catch (error) {
    return [
      warning(
        `the api cannot be reached at ${publicUrl}: ${reasonOf(error)}`,
        'check that tankwatch api and the proxy in front of it run, and that PUBLIC_URL is correct',
      ),
    ];
  }
}
