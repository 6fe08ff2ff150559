/** Returns the reasons why a role cannot serve now; an empty list if it is ready. */
export type NotReadyReasons = () => Promise<readonly string[]>;

export interface ProbeResponse {
  statusCode: 200 | 503;
  body: object;
}

/** The response to /healthz, on every port of every role. */
export const liveness: ProbeResponse = { statusCode: 200, body: { status: 'alive' } };

/** Returns the response to /readyz. */
export async function readiness(notReadyReasons: NotReadyReasons): Promise<ProbeResponse> {
  const reasons = await notReadyReasons();
  if (reasons.length === 0) return { statusCode: 200, body: { status: 'ready' } };
  return { statusCode: 503, body: { status: 'not ready', reasons } };
}
