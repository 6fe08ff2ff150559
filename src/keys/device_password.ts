import { createHmac } from 'node:crypto';

/**
 * The password of a device is derived, not stored: HMAC-SHA-256 with the installation's secret over organization,
 * device and generation. A gateway can verify it while the database is unavailable. Increasing the generation
 * invalidates the old password.
 */
export function devicePassword(secret: string, organizationCode: string, deviceId: string, generation: number): string {
  // An organization code cannot contain a newline, so no two devices have the same input.
  return createHmac('sha256', secret).update(`${organizationCode}\n${generation}\n${deviceId}`).digest('base64url');
}

/** The MQTT user name of a device. */
export const deviceUserName = (organizationCode: string, deviceId: string): string => `${organizationCode}/${deviceId}`;
