import { type ParsedCronItem, parseCronItems } from 'graphile-worker';
import { DAY_MS } from '../values/time.ts';

/** Runs one job of the task at a time with at most one waiting, because a run can take longer than the interval. */
const oneAtATime = (name: string): { queueName: string; jobKey: string } => ({ queueName: name, jobKey: name });
/** Runs only one of these tasks at a time. They can take hours, and the other slots must be free for short tasks. */
const longTask = (name: string): { queueName: string; jobKey: string } => ({ queueName: 'long_tasks', jobKey: name });
/** Runs a daily task up to a day late if no worker ran at its time. */
const daily = { backfillPeriod: DAY_MS };

/** The jobs that begin at fixed times (UTC). */
export const scheduleOf = ({ mails, reminderDays }: { mails: boolean; reminderDays: number }): ParsedCronItem[] =>
  parseCronItems([
    { task: 'maintain_tables', match: '23 4 * * *', options: daily },
    { task: 'pack_telemetry', match: '*/10 * * * *', options: longTask('pack_telemetry') },
    { task: 'delete_expired', match: '43 4 * * *', options: { ...daily, ...longTask('delete_expired') } },
    { task: 'expire_telemetry', match: '3 5 * * *', options: { ...daily, ...longTask('expire_telemetry') } },
    { task: 'erase_deleted_tanks', match: '13 * * * *', options: { ...daily, ...longTask('erase_deleted_tanks') } },
    { task: 'learn_regional_rates', match: '*/5 * * * *', options: oneAtATime('learn_regional_rates') },
    { task: 'follow_weather', match: '*/5 * * * *', options: oneAtATime('follow_weather') },
    { task: 'delete_old_forecasts', match: '33 4 * * *', options: daily },
    { task: 'score_alerts', match: '33 2 * * *', options: { ...daily, ...oneAtATime('score_alerts') } },
    { task: 'end_rounds', match: '*/10 * * * *' },
    { task: 'begin_missing_escalations', match: '* * * * *' },
    { task: 'delete_ended_sessions', match: '*/10 * * * *' },
    { task: 'delete_old_idempotency_keys', match: '*/10 * * * *' },
    { task: 'erase_deleted_organizations', match: '* * * * *', options: longTask('erase_deleted_organizations') },
    ...(reminderDays === 0 ? [] : [{ task: 'enqueue_reminders', match: '7 * * * *' }]),
    ...(mails ? [{ task: 'enqueue_digests', match: '* * * * *' }] : []),
  ]);
