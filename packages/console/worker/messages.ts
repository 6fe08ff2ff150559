import { field, textIn } from '../src/json_field.ts';

/** The question of the service worker to the pages of the console: is a person signed in and looking at the page? */
export const SEEN_QUESTION = 'tankwatch.isSeen';

/** A message of the service (src/push/send_push.ts). */
export interface ShownMessage {
  title: string;
  body: string;
  language: string;
  /** A page of the console. */
  url: string;
  tag: string;
  id: number;
  isUrgent: boolean;
}

/** Parses a push message. Undefined if the value is not such a message. */
export function readMessage(value: unknown): ShownMessage | undefined {
  const content = typeof value === 'string' ? parse(value) : value;
  const [title, body, language, url, tag] = ['title', 'body', 'language', 'url', 'tag'].map((name) =>
    textIn(content, name),
  );
  const id = field(content, 'id');
  if (!title || !tag || typeof id !== 'number' || !url?.startsWith('/console/')) return undefined;
  return {
    title,
    body: body ?? '',
    language: language ?? '',
    url,
    tag,
    id,
    isUrgent: field(content, 'isUrgent') === true,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
