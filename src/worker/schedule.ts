import { type ParsedCronItem, parseCronItems } from 'graphile-worker';
import { DAY_MS } from '../values/time.ts';

/** Runs one job at a time with at most one waiting, because a run can take longer than the interval. */
const alone = (name: string): { queueName: string; jobKey: string } => ({ queueName: name, jobKey: name });
/** For tasks that can take hours. Only one of them runs at a time, so that the other slots are free for short tasks. */
const long = (name: string): { queueName: string; jobKey: string } => ({ queueName: 'long_tasks', jobKey: name });
/** A run that was missed because no worker ran is made up for within a day. */
const daily = { backfillPeriod: DAY_MS };

/** The jobs that begin at fixed times (UTC). */
export const scheduleOf = ({ mails, reminderDays }: { mails: boolean; reminderDays: number }): ParsedCronItem[] =>
  parseCronItems([
    { task: 'maintain_tables', match: '23 4 * * *', options: daily },
    { task: 'pack_telemetry', match: '*/10 * * * *', options: long('pack_telemetry') },
    { task: 'delete_expired', match: '43 4 * * *', options: { ...daily, ...long('delete_expired') } },
    { task: 'expire_telemetry', match: '3 5 * * *', options: { ...daily, ...long('expire_telemetry') } },
    { task: 'erase_deleted_tanks', match: '13 * * * *', options: { ...daily, ...long('erase_deleted_tanks') } },
    { task: 'learn_regional_rates', match: '*/5 * * * *', options: alone('learn_regional_rates') },
    { task: 'follow_weather', match: '*/5 * * * *', options: alone('follow_weather') },
    { task: 'delete_old_forecasts', match: '33 4 * * *', options: daily },
    { task: 'score_alerts', match: '33 2 * * *', options: { ...daily, ...alone('score_alerts') } },
    { task: 'end_rounds', match: '*/10 * * * *' },
    { task: 'begin_empty_escalations', match: '* * * * *' },
    { task: 'delete_ended_sessions', match: '*/10 * * * *' },
    { task: 'delete_old_idempotency_keys', match: '*/10 * * * *' },
    { task: 'erase_deleted_organizations', match: '* * * * *', options: long('erase_deleted_organizations') },
    ...(reminderDays === 0 ? [] : [{ task: 'enqueue_reminders', match: '7 * * * *' }]),
    ...(mails ? [{ task: 'enqueue_digests', match: '* * * * *' }] : []),
  ]);
