import type { Db } from '../db/pool.ts';
import { amount } from '../values/text_format.ts';
import { type CheckFinding, finding, warning } from './finding.ts';

interface JobStatus {
  overdue: number;
  oldest_at: string | null;
  given_up: number;
  given_up_task: string | null;
  has_worker: boolean;
}

/** Checks that a worker runs, and finds jobs that no worker has run: mails and webhooks that are not sent. */
export async function checkWorker(db: Db): Promise<CheckFinding[]> {
  const { rows } = await db.query<JobStatus>('select * from job_status()');
  return rows.flatMap((status) => [...aliveFindings(status), ...overdueFindings(status), ...givenUpFindings(status)]);
}

function aliveFindings({ has_worker }: JobStatus): CheckFinding[] {
  if (has_worker) return [];
  return [
    warning(
      'no worker is running: webhooks and mails are not sent, and the partitions of the next month are not created',
      'start tankwatch worker',
    ),
  ];
}

function overdueFindings({ overdue, oldest_at }: JobStatus): CheckFinding[] {
  if (overdue === 0) return [];
  return [
    finding(
      `${amount(overdue, 'jobs')} overdue by more than ten minutes, the oldest since ${oldest_at}`,
      'check that tankwatch worker is running, with SMTP_URL if mails are wanted; see its log',
    ),
  ];
}

function givenUpFindings({ given_up, given_up_task }: JobStatus): CheckFinding[] {
  if (given_up === 0) return [];
  return [
    warning(
      `${amount(given_up, 'jobs')} failed at every attempt and will not be tried again, for example ${given_up_task}`,
      'fix the cause, which is in the log of the worker; the tables mail_jobs and graphile_worker.jobs have the jobs with their last error',
    ),
  ];
}
