import type { EventType } from '../evaluation/pure/alerts/event_types.ts';
import { CONDITIONS, type HandledCondition } from '../fleet/sections.ts';

/** The event that begins each condition. */
export const EVENT_OF: Readonly<Record<HandledCondition, EventType>> = {
  losing: 'tank.rapid_loss',
  low: 'tank.low_fill',
  gauge_unreliable: 'tank.gauge_unreliable',
  silent: 'tank.device_silent',
};

/** SQL expression: the condition that an event `e` begins, or null. */
const CONDITION_OF_EVENT_SQL = `case e.type ${CONDITIONS.map(
  (condition) => `when '${EVENT_OF[condition]}' then '${condition}'`,
).join(' ')} end`;

/** SQL condition: somebody at the organization handles what the event `e` reports, so nobody there is mailed about it. */
export const IS_HANDLED_SQL = `exists (
  select from handled_conditions h where h.tank_no = e.tank_no and h.condition = ${CONDITION_OF_EVENT_SQL}
)`;

/** SQL condition: nobody is mailed about the event `e`, because its tank is muted. A loss is mailed as always. */
export const IS_MUTED_SQL = `(e.type <> 'tank.rapid_loss' and exists (select from muted_tanks m where m.tank_no = e.tank_no))`;
