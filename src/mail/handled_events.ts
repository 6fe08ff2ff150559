import type { EventType } from '../evaluation/pure/alerts/event_types.ts';
import { CONDITIONS, type HandledCondition } from '../status/sections.ts';

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

/** SQL condition: the condition that the event `e` reports is handled, so contacts get no mail about it. */
export const IS_HANDLED_SQL = `exists (
  select from handled_conditions h where h.tank_no = e.tank_no and h.condition = ${CONDITION_OF_EVENT_SQL}
)`;

/** SQL condition: the condition of the event `e` still exists. An event that begins no condition counts for a day. */
export const IS_CURRENT_SQL = `case when ${CONDITION_OF_EVENT_SQL} is null then e.recorded_at > now() - interval '1 day'
  else exists (select from tank_conditions k where k.tank_no = e.tank_no and k.condition = ${CONDITION_OF_EVENT_SQL}) end`;

/** SQL condition: the tank of the event `e` is muted, so there is no mail about it. Losses are always mailed. */
export const IS_MUTED_SQL = `(e.type <> 'tank.rapid_loss' and exists (select from muted_tanks m where m.tank_no = e.tank_no))`;
