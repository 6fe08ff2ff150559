import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AccessWriters } from '../../db/access_writers.ts';
import type { Statement } from '../../db/readers.ts';
import type { Authenticator } from '../../http/authenticate.ts';
import { ownersOnly } from '../../http/problem.ts';
import { senderOf } from '../../keys/key_verifier.ts';

export const REMINDERS_PATH = '/session/reminders';

const RESUBSCRIBE: Statement = {
  name: 'resubscribe_owner',
  text: 'select resubscribe_customer(id) from customers where no = $1',
};

/** Lets an owner who is signed in turn reminders on again. The link in each reminder turns them off. */
export function registerReminders(
  routes: FastifyInstance,
  writers: AccessWriters,
  authenticator: Authenticator,
  checkOrigin: (request: FastifyRequest) => void,
): void {
  routes.post(REMINDERS_PATH, async (request, reply) => {
    checkOrigin(request);
    const caller = await authenticator.verify(request);
    authenticator.admit(caller, reply);
    // The session of a narrowed key does not belong to the owner.
    if (!caller.isSession || caller.keyNo > 0 || caller.customerNo === null) throw ownersOnly();
    await writers.as(senderOf(caller)).query(RESUBSCRIBE, [caller.customerNo]);
    return reply.code(204).send();
  });
}
