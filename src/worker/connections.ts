/** The number of jobs of each queue that run at the same time. */
export const CONCURRENCY = {
  notifications: 3,
  /** A long task (schedule.ts), the weather, the regional rates, and one slot for short tasks. */
  maintenance: 4,
  signInMails: 2,
} as const;
/**
 * Connections besides one for each job and mail: a digest holds one while its mail is sent, and deliveries must not
 * wait for it.
 */
const OTHER_CONNECTIONS = 6;
/** Each of the three queues listens with one. The others run statements that take a millisecond. */
export const QUEUE_CONNECTIONS = 8;
/** A heartbeat for each of the three queues, and the gate of what is sent. */
const SINGLE_CONNECTIONS = 4;

/** The pool for everything but the queues themselves. */
export const poolConnections = (mailConcurrency: number): number =>
  OTHER_CONNECTIONS + CONCURRENCY.notifications + CONCURRENCY.maintenance + CONCURRENCY.signInMails + mailConcurrency;

/** The largest number of connections of a worker, for capacity plans. */
export const workerConnections = (mailConcurrency: number): number =>
  poolConnections(mailConcurrency) + QUEUE_CONNECTIONS + SINGLE_CONNECTIONS;
