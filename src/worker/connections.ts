/** The number of jobs of each queue that run at the same time. */
export const CONCURRENCY = {
  notifications: 3,
  /** A long task (schedule.ts), the weather, the regional rates, and one slot for short tasks, in which alerts are scored too. */
  maintenance: 4,
  signInMails: 2,
} as const;
/**
 * Connections besides one for each job and mail, for example for deliveries. A digest holds its connection while its mail
 * is sent, and deliveries must not wait for it.
 */
const OTHER_CONNECTIONS = 6;
/** Each of the three queues listens with one connection. The others run statements that take a millisecond. */
export const QUEUE_CONNECTIONS = 8;
/** One connection for the heartbeat of each of the three queues, and one for the hold controller. */
const SINGLE_CONNECTIONS = 4;

/** The pool for everything but the queues themselves. */
export const poolConnections = (mailConcurrency: number): number =>
  OTHER_CONNECTIONS + CONCURRENCY.notifications + CONCURRENCY.maintenance + CONCURRENCY.signInMails + mailConcurrency;

/** The largest number of connections of a worker, for capacity plans. */
export const workerConnections = (mailConcurrency: number): number =>
  poolConnections(mailConcurrency) + QUEUE_CONNECTIONS + SINGLE_CONNECTIONS;
