import { type Static, Type } from 'typebox';
import { organizationOnly } from '../../http/problem.ts';
import { FOLLOWED_DAYS } from '../../status/feed_state.ts';
import { BEGIN_DAYS, readReadingFeed } from '../../status/reading_feed.ts';
import { operation } from '../operation.ts';
import { Named, NullableTime } from '../schemas/values.ts';
import { feedSize, Level, readFeed } from './changes.ts';
import { cursor } from './filters.ts';

const Reading = Named('Reading', {
  object: Type.Literal('reading'),
  ...Level.properties,
  stored_at: NullableTime(
    'When it was stored. A late reading is stored long after it was measured. Null for a reading that was already ' +
      'stored when you began without `after`.',
  ),
});

const EXAMPLE: Static<typeof Reading> = {
  object: 'reading',
  tank_id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  custom_id: 'house-1',
  owner_id: '01989f2e-6a3b-7c41-9d52-0b6f1e2a7c90',
  external_key: 'C-1042',
  created_at: '2025-11-02T06:00:00.000Z',
  fill_percentage: 45.51,
  stored_at: '2025-11-02T06:00:03.120Z',
};

const parameters = {
  size: feedSize('readings'),
  after: cursor(
    `\`next\` of the last response. Leave it out to begin with what was measured in the last ${BEGIN_DAYS} days.`,
  ),
};

export const listReadingsOperation = operation({
  path: '/fleet/v1/readings',
  operationId: 'listReadings',
  summary: 'Follow the new readings of all tanks',
  description:
    `Begins with the readings of the last ${BEGIN_DAYS} days, ordered by tank. New readings follow in the order in ` +
    'which they were stored. Save `next` and send it as `after`: no reading is skipped, even if it arrives late, and ' +
    'none comes twice. Readings of deleted tanks are left out. If the levels of a tank are computed again, its ' +
    '`levels_changed_at` changes in the change feed, and its readings do not come again. ' +
    `\`after\` is answered with 410 after more than ${FOLLOWED_DAYS} days without a request, if the readings of the ` +
    'beginning are not read within a day, and after a restore from a backup: begin again without it, and read the ' +
    'telemetry of the time before. A key that is narrowed to one customer gets 403.',
  returns: 'event_feed',
  item: Reading,
  example: EXAMPLE,
  readsPrimary: true,
  canBeGone: true,
  parameters,
  async handle({ readers, caller, parameters: given, followReadings: follow }) {
    // A feed of one customer would lose readings of a tank that is given to another owner.
    if (caller.customerNo !== null) throw organizationOnly('The feed of readings needs');
    const { after, size = 200 } = given;
    const page = await readFeed(
      () => readReadingFeed(readers, caller.organizationNo, { after, size, follow }),
      'Begin again without `after`, and read the telemetry of the time before.',
    );
    const data = page.readings.map((reading) => ({ object: 'reading', ...reading }));
    return { body: { object: 'list', data, next: page.next, has_more: page.hasMore } };
  },
});
