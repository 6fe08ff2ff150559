/** The reasons why a role cannot serve now. Empty if it is ready. */
export type NotReadyReasons = () => Promise<readonly string[]>;

export interface ProbeResponse {
  statusCode: 200 | 503;
  body: object;
}

/** The responses to /healthz and /readyz, the same for every role and on every port. */
export const liveness: ProbeResponse = { statusCode: 200, body: { status: 'alive' } };

export async function readiness(notReadyReasons: NotReadyReasons): Promise<ProbeResponse> {
  const reasons = await notReadyReasons();
  if (reasons.length === 0) return { statusCode: 200, body: { status: 'ready' } };
  return { statusCode: 503, body: { status: 'not ready', reasons } };
}
