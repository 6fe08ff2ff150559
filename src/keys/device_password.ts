import { createHmac } from 'node:crypto';

/**
 * A device password is derived and not stored: HMAC-SHA-256 of the organization's secret over generation and device. A
 * gateway can verify it while the database is unavailable, and a new generation invalidates the old password.
 */
export function devicePassword(organizationSecret: string, deviceId: string, generation: number): string {
  return createHmac('sha256', organizationSecret).update(`${generation}\n${deviceId}`).digest('base64url');
}

/** The MQTT user name of a device. */
export const deviceUserName = (organizationCode: string, deviceId: string): string => `${organizationCode}/${deviceId}`;
