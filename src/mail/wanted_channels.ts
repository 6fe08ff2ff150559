import { DEVICE_EVENT_TYPES } from './device_mails.ts';

/**
 * SQL condition: the contact `c`, whose row `r` of contact_reach may be missing, wants to be notified of the event `e`
 * at once by this channel. Texts about losses are sent by the steps of an escalation. Thousands of devices can fail at
 * once, so events of devices are left to mails, which are grouped.
 */
export const wantsSql = (channel: 'text' | 'push'): string => `case e.type
  when 'tank.rapid_loss' then ${channel === 'push' ? 'coalesce(r.by_push, true)' : 'false'}
  when 'tank.low_fill' then coalesce('${channel}' = any (r.low_by), false)
  else coalesce('${channel}' = any (r.other_by), false) and e.type = any (c.types)
    and e.type not in (${DEVICE_EVENT_TYPES.map((type) => `'${type}'`).join(', ')}) end`;

/** SQL expression: when the contact of the message `m` is notified of the event `e`. Losses ignore quiet hours. */
export const DUE_AT_SQL = `case when e.type = 'tank.rapid_loss' then now() else coalesce(quiet_until(m.contact_no), now()) end`;
