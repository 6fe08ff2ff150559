import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { newSecret } from '../engines/installation.ts';
import { startMailServer } from '../engines/mail_server.ts';
import { RoleProcess } from '../engines/process.ts';
import { readNumber } from '../engines/read_number.ts';
import { CONTACTS } from './evaluation_fleet.ts';
import { type BenchOptions, mostWithin } from './report.ts';

const INTERVAL_MS = 600_000;

/**
 * Starts a worker that sends mails, and waits until the notifications of all events are created and each contact has a mail.
 * Returns for each contact the most mails in ten minutes.
 */
export async function collectMails(workerUrl: string, owner: Pool, log: BenchOptions['log']) {
  const sentAtMs = new Map<string, number[]>();
  const server = await startMailServer({
    onMail({ to }) {
      for (const address of to) sentAtMs.set(address, [...(sentAtMs.get(address) ?? []), Date.now()]);
    },
  });
  const worker = new RoleProcess('worker', {
    LOG_LEVEL: 'info',
    WORKER_DATABASE_URL: workerUrl,
    SMTP_URL: server.url,
    MAIL_FROM: 'alerts@bench.example',
    PUBLIC_URL: 'http://127.0.0.1',
    SECRETS_KEY: newSecret(),
    LINK_SECRET: newSecret(),
  });
  const startMs = performance.now();
  await worker.start();
  try {
    for (;;) {
      const jobs = await readNumber(
        owner,
        `select count(*) as n from graphile_worker.jobs where task_identifier = 'notify_events'`,
      );
      log(`${jobs} jobs of notifications wait`);
      if (jobs === 0) break;
      await sleep(2_000);
    }
    const notifySeconds = (performance.now() - startMs) / 1_000;
    log('waiting for the mails');
    while (CONTACTS.some((address) => !sentAtMs.has(address))) await sleep(500);
    await sleep(5_000); // surplus mails would arrive now
    const maxMailsPerContact = CONTACTS.map((address) => mostWithin(sentAtMs.get(address) ?? [], INTERVAL_MS));
    return { notifySeconds, maxMailsPerContact };
  } finally {
    await worker.stop();
    await server.stop();
  }
}
