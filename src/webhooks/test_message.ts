import type { Pool } from 'pg';
import { uuid7 } from '../values/uuid7.ts';
import { endpointTarget } from './endpoint_secrets.ts';
import type { WebhookResponse, WebhookSender } from './sender.ts';
import { signatureHeaders } from './signature.ts';

/** Sends a signed test message. */
export function sendTestMessage(
  sender: WebhookSender,
  { url, secrets }: { url: string; secrets: readonly string[] },
): Promise<WebhookResponse> {
  const id = uuid7();
  const body = JSON.stringify({ type: 'webhook.test', timestamp: new Date().toISOString(), data: { id } });
  const signed = signatureHeaders(secrets, id, Date.now(), body);
  return sender.post(url, { 'content-type': 'application/json', 'user-agent': 'Tankwatch', ...signed }, body);
}

/**
 * Sends a test message that was requested over /manage/v1, and stores the result without the content of the response.
 */
export async function testEndpoint(
  pool: Pool,
  sender: WebhookSender,
  secretsKeys: readonly string[],
  endpointNo: number,
): Promise<void> {
  const { rows } = await pool.query<{ no: number; id: string }>(
    'select no, id from webhook_endpoints where no = $1 and deleted_at is null',
    [endpointNo],
  );
  const [endpoint] = rows;
  // It was deleted in the meantime.
  if (endpoint === undefined) return;
  const { status, error, ms } = await sendTestMessage(sender, await endpointTarget(pool, endpoint, secretsKeys));
  await pool.query(
    'update webhook_tests set sent_at = now(), status = $2, error = $3, duration_ms = $4 where endpoint_no = $1',
    [endpointNo, status, error, ms],
  );
}
