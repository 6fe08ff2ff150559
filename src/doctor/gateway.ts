import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { DoctorConfig } from '../settings/command_settings.ts';
import { reasonOf } from '../values/error_reason.ts';
import { type CheckFinding, finding, type NotChecked, notConfigured } from './finding.ts';

const TIMEOUT_MS = 5_000;

/** The body of `/readyz` while a role is not ready. */
const NotReady = Type.Object({ reasons: Type.Array(Type.String()) });

/** Reads the reasons from a response of `/readyz` that is not ready. */
export async function notReadyReasons(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => null);
  return Value.Check(NotReady, body) ? body.reasons.join('; ') : `/readyz returned ${response.status}`;
}

/** Checks that the gateway answers at the address that senders use, and that it accepts readings. */
export async function checkGateway({ gatewayUrl }: DoctorConfig): Promise<CheckFinding[] | NotChecked> {
  if (gatewayUrl === '') return notConfigured('GATEWAY_URL, such as http://localhost:8081');
  try {
    const response = await fetch(`${gatewayUrl}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (response.ok) return [];
    const reasons = await notReadyReasons(response);
    return [
      finding(`the gateway does not accept readings: ${reasons}`, 'fix the reasons; see the log of tankwatch gateway'),
    ];
  } catch (error) {
    return [
      finding(
        `the gateway cannot be reached at ${gatewayUrl}: ${reasonOf(error)}`,
        'check that tankwatch gateway and the proxy in front of it run, and that GATEWAY_URL is correct',
      ),
    ];
  }
}
