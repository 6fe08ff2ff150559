import { Type } from 'typebox';
import type { Statement } from '../../db/readers.ts';
import { operation } from '../operation.ts';
import { filterParameters } from './filters.ts';
import { recentNewestReading } from './summary.ts';
import { scopeOf } from './tanks.ts';

const VISIBLE_TANKS: Statement = {
  name: 'visible_tanks',
  text: `select no, id from tanks
    where organization_no = $1 and ($2::int is null or owner_no = $2) and id = any ($3::uuid[]) and deleted_at is null`,
};

const parameters = { tanks: filterParameters.ids };

/** The stream sends only the IDs of changed tanks. Clients read these tanks again with the other operations. */
export const watchTanksOperation = operation({
  path: '/fleet/v1/live',
  operationId: 'watchTanks',
  summary: 'Watch tanks for changes',
  description:
    'Returns a stream of server-sent events. `ready` has the number of watched tanks: what changes after it is sent. `changed` ' +
    'has the IDs of tanks that changed within the last second: read them again with `ids`. `urgent` has a new loss or low tank of the whole scope of ' +
    'the key, whatever tanks are watched, within two seconds: `event_id`, `type`, `tank_id` and `at`. It may be repeated. ' +
    '`heartbeat` comes every 5 seconds while the service can read its data: `at`, and the time of the newest reading, ' +
    '`newest_reading_at`. Without a heartbeat for 10 seconds, what is shown is old. Read the lists again after each `ready`. ' +
    'The stream ends after an hour, and when the key is revoked.',
  returns: 'event_stream',
  item: Type.Object({ ids: Type.Array(Type.String()) }, { title: 'ChangedTanks' }),
  example: { ids: ['01989f31-0c52-7a08-8f4e-5d1c9b7e2f66'] },
  parameters,
  async handle({ readers, caller, parameters: given, streams, reauthorize }) {
    if (streams === undefined) throw new Error('the request has no connection to stream to');
    const scope = [caller.organizationNo, caller.customerNo];
    const rows = await readers.query<{ no: number; id: string }>(VISIBLE_TANKS, [...scope, given.tanks ?? []]);
    const tankIds = new Map(rows.map(({ no, id }) => [no, id]));
    return {
      body: streams.open({
        caller,
        tankIds,
        newestReadingAt: async () => (await recentNewestReading(readers, scopeOf(caller))).value,
        reauthorize,
      }),
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        connection: 'close', // otherwise the connection stays open after the stream, and delays the stop of the api
      },
    };
  },
});
