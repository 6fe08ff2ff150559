import { ALL_EVENT_TYPES, type AnyEventType } from '../evaluation/pure/alerts/event_types.ts';

/** The kinds of the change feed that webhooks can get. Levels are left out: each reading would be a message. */
export const CHANGED_KINDS = ['customer', 'tank', 'round', 'stop', 'delivery_note', 'verdict'] as const;
export type ChangedKind = (typeof CHANGED_KINDS)[number];
type ChangedType = `${ChangedKind}.changed`;

/** The type of messages about changes of a kind. The trigger follow_changes_of_webhook knows their ending. */
export const changedType = (kind: ChangedKind): ChangedType => `${kind}.changed`;
export const CHANGED_TYPES: readonly ChangedType[] = CHANGED_KINDS.map(changedType);

/** The types that a webhook can name. Without any, it gets all events and no changes. */
export const WEBHOOK_TYPES: readonly WebhookType[] = [...ALL_EVENT_TYPES, ...CHANGED_TYPES];
export type WebhookType = AnyEventType | ChangedType;
