import { EVENT_TYPES } from '@tankwatch/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { fieldOf, textOf } from './change.ts';

export type WebhookType = (typeof EVENT_TYPES)[number];

interface Answer {
  at: string;
  /** Null: none came. */
  status: number | null;
  durationMs: number;
}

export interface Webhook {
  id: string;
  url: string;
  /** Empty: all, also those of later releases. */
  types: readonly WebhookType[];
  isEnabled: boolean;
  disabledAt: string | null;
  disabledBecause: string | null;
  failingSince: string | null;
  /** Messages have the signatures of both secrets until then. */
  previousSecretUntil: string | null;
  lastTest: Answer | null;
  etag: string;
}

export interface Delivery {
  eventId: string;
  type: string;
  occurredAt: string;
  status: string;
  lastAttempt: Answer | null;
  nextAttemptAt: string | null;
}

const WEBHOOKS_KEY = ['webhooks'];
/** The answer to a test, and what another administrator changes, appear within this time. */
const REFRESH_MS = 3_000;

export type ReadWebhooks = () => Promise<readonly Webhook[] | undefined>;

/** The webhooks of the organization, newest first. */
export function useWebhooks({ isEnabled }: { isEnabled: boolean }) {
  const queryClient = useQueryClient();
  const query = useQuery({
    queryKey: WEBHOOKS_KEY,
    queryFn: async ({ signal }) => (await readList('/manage/v1/webhooks', signal)).flatMap(webhookIn),
    enabled: isEnabled,
    refetchInterval: REFRESH_MS,
  });
  const readAgain = async (): Promise<readonly Webhook[] | undefined> => {
    await queryClient.invalidateQueries({ queryKey: WEBHOOKS_KEY });
    return queryClient.getQueryData<readonly Webhook[]>(WEBHOOKS_KEY);
  };
  return { ...query, readAgain };
}

/** The latest deliveries of a webhook, newest first. */
export const useDeliveries = (webhookId: string) =>
  useQuery({
    queryKey: ['deliveries', webhookId],
    queryFn: async ({ signal }) =>
      (await readList(`/manage/v1/webhooks/${webhookId}/deliveries?size=20`, signal)).flatMap(deliveryIn),
    refetchInterval: REFRESH_MS,
  });

async function readList(path: string, signal: AbortSignal): Promise<unknown[]> {
  const response = await fetch(path, { signal, headers: { accept: 'application/json' } });
  if (!response.ok) throw new Error(`GET ${path} returned ${response.status}`);
  const data = fieldOf(await response.json(), 'data');
  return Array.isArray(data) ? data : [];
}

export function webhookIn(value: unknown): Webhook[] {
  const [id, url, etag] = [textOf(value, 'id'), textOf(value, 'url'), textOf(value, 'etag')];
  const types = fieldOf(value, 'types');
  if (id === null || url === null || etag === null) return [];
  return [
    {
      id,
      url,
      etag,
      types: Array.isArray(types) ? EVENT_TYPES.filter((type) => types.includes(type)) : [],
      isEnabled: fieldOf(value, 'enabled') === true,
      disabledAt: textOf(value, 'disabled_at'),
      disabledBecause: textOf(value, 'disabled_because'),
      failingSince: textOf(value, 'failing_since'),
      previousSecretUntil: textOf(value, 'previous_secret_until'),
      lastTest: answerIn(fieldOf(value, 'last_test')),
    },
  ];
}

function deliveryIn(value: unknown): Delivery[] {
  const [eventId, type, occurredAt] = [textOf(value, 'event_id'), textOf(value, 'type'), textOf(value, 'occurred_at')];
  if (eventId === null || type === null || occurredAt === null) return [];
  return [
    {
      eventId,
      type,
      occurredAt,
      status: textOf(value, 'status') ?? '',
      lastAttempt: answerIn(fieldOf(value, 'last_attempt')),
      nextAttemptAt: textOf(value, 'next_attempt_at'),
    },
  ];
}

function answerIn(value: unknown): Answer | null {
  const at = textOf(value, 'at');
  const status = fieldOf(value, 'status');
  if (at === null) return null;
  return { at, status: typeof status === 'number' ? status : null, durationMs: Number(fieldOf(value, 'duration_ms')) };
}

/** What people call a webhook. */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? url;
