import { createHmac } from 'node:crypto';

/**
 * A device's password is derived, not stored: HMAC-SHA-256 of the installation's secret over organization, device and
 * generation. So a gateway can verify it while the database is away, and a new generation makes the old one void.
 */
export function devicePassword(secret: string, organizationCode: string, deviceId: string, generation: number): string {
  // A newline cannot be part of a code, so that no two devices share an input.
  return createHmac('sha256', secret).update(`${organizationCode}\n${generation}\n${deviceId}`).digest('base64url');
}

/** What a device says its name is when it connects. */
export const deviceUserName = (organizationCode: string, deviceId: string): string => `${organizationCode}/${deviceId}`;
