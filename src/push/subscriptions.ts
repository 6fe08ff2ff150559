import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { areBrowserKeys, type BrowserKeys } from './encrypt_push.ts';

const exactly = { additionalProperties: false };
/** PostgreSQL stores no character 0. */
const TEXT = '^[^\\u0000]*$';

/** The result of `PushSubscription.toJSON` of a browser, and a name by which the person knows the browser. */
export const Subscription = Type.Object(
  {
    endpoint: Type.String({ maxLength: 2_000, pattern: TEXT }),
    keys: Type.Object(
      {
        p256dh: Type.String({ pattern: '^[\\w-]{86,88}=*$', maxLength: 100 }),
        auth: Type.String({ pattern: '^[\\w-]{21,24}=*$', maxLength: 30 }),
      },
      exactly,
    ),
    name: Type.String({ maxLength: 100, pattern: TEXT }),
    /** The id of a browser that was stored before. */
    id: Type.Optional(Type.String({ format: 'uuid' })),
  },
  exactly,
);
export const subscription = Compile(Subscription);

/** Decodes the keys of a browser; undefined if they are not valid. */
export function keysOf({ p256dh, auth }: Readonly<Record<'p256dh' | 'auth', string>>): BrowserKeys | undefined {
  const keys = { p256dh: Buffer.from(p256dh, 'base64url'), auth: Buffer.from(auth, 'base64url') };
  return areBrowserKeys(keys) ? keys : undefined;
}
