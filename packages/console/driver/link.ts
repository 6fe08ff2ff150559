/** The content of the token of a link. The service verifies the token; the phone only reads the round and the expiry. */
export interface Link {
  token: string;
  roundId: string;
  /** When the link stops showing the round. */
  readUntilMs: number;
}

const TOKEN = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.\d{1,9}\.(\d{1,11})\.[\w-]{43}$/;

/** Reads the token from the fragment of the URL, which a browser never sends. Undefined if there is no token. */
export function readLink(fragment: string): Link | undefined {
  const token = fragment.replace(/^#/, '');
  const [, roundId, expires] = TOKEN.exec(token) ?? [];
  return roundId === undefined ? undefined : { token, roundId, readUntilMs: Number(expires) * 1_000 };
}
