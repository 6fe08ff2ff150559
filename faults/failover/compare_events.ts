import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Installation } from '../../engines/installation.ts';
import type { Received } from '../../engines/webhook_receiver.ts';

/** Finds stored events that a reader of the feed did not see. */
export async function findMissed({ owner }: Installation, seen: ReadonlySet<string>): Promise<string[]> {
  const { rows } = await owner.query<{ id: string; text: string }>(
    'select id, row_to_json(e)::text as text from events e',
  );
  return rows.filter(({ id }) => !seen.has(id)).map(({ text }) => text);
}

export const areAllSeenOf =
  (installation: Installation) =>
  async (seen: ReadonlySet<string>): Promise<boolean> =>
    (await findMissed(installation, seen)).length === 0;

const Message = Type.Object({ data: Type.Object({ event_id: Type.Optional(Type.String()) }) });

/**
 * Finds webhooks whose event is not stored. An event that is recorded again after its first recording was lost keeps its id.
 * The message of a retraction has another id, and names the event.
 */
export async function findUnknown({ owner }: Installation, received: readonly Received[]): Promise<Received[]> {
  const { rows } = await owner.query<{ id: string }>('select id from events');
  const stored = new Set(rows.map(({ id }) => id));
  const eventOf = ({ headers, body }: Received): string =>
    Value.Decode(Message, JSON.parse(body)).data.event_id ?? String(headers['webhook-id']);
  const byId = new Map(received.map((webhook) => [eventOf(webhook), webhook]));
  return [...byId].filter(([id]) => !stored.has(id)).map(([, webhook]) => webhook);
}
