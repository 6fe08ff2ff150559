import type { Webhook, WebhookDelivery } from '@tankwatch/client';
import { client } from '../api.ts';
import { type ReadAgain, useManagedList } from './managed_list.ts';

export type WebhookType = Webhook['types'][number];

/** The result of a test appears within this time. */
const REFRESH_MS = 3_000;

export type ReadWebhooks = ReadAgain<Webhook>;

/** The webhooks of the organization, newest first. */
export const useWebhooks = ({ isEnabled }: { isEnabled: boolean }) =>
  useManagedList<Webhook>({
    key: ['webhooks'],
    read: async (signal) => (await client.manage.webhooks.list({ signal })).data,
    isEnabled,
    refreshMs: REFRESH_MS,
  });

/** The latest deliveries of a webhook, newest first. */
export const useDeliveries = (webhookId: string) =>
  useManagedList<WebhookDelivery>({
    key: ['deliveries', webhookId],
    read: async (signal) => (await client.manage.webhooks.deliveries(webhookId, { size: 20 }, { signal })).data,
    refreshMs: REFRESH_MS,
  });

/** The host, which people use as the name of a webhook. */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? url;
