import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';
import { SMTPServer } from 'smtp-server';
import { CONTACTS } from './evaluation_fleet.ts';
import type { BenchOptions } from './report.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const INTERVAL_MS = 600_000;

export interface MailCollector {
  /** Waits until the notifications of all events are created and each contact has a mail. */
  untilMailed(
    owner: Pool,
    startedAt: number,
    log: BenchOptions['log'],
  ): Promise<{ notifySeconds: number; mailsPerContact: number[] }>;
  stop(): Promise<void>;
}

/** A worker process that sends mails, and a mail server that counts them. */
export async function collectMails(workerUrl: string): Promise<MailCollector> {
  const sentAtMs = new Map<string, number[]>();
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, session, callback) {
      stream.resume();
      stream.on('end', () => {
        for (const { address } of session.envelope.rcptTo) {
          sentAtMs.set(address, [...(sentAtMs.get(address) ?? []), Date.now()]);
        }
        callback();
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const worker = startWorker(workerUrl, `smtp://127.0.0.1:${port}`);

  return {
    async untilMailed(owner, startedAt, log) {
      for (let jobs = 1; jobs > 0; ) {
        const { rows } = await owner.query<{ n: number }>(
          `select count(*) as n from graphile_worker.jobs where task_identifier = 'notify_events'`,
        );
        jobs = rows[0]?.n ?? 0;
        log(`${jobs} jobs of notifications wait`);
        if (jobs > 0) await sleep(2_000);
      }
      const notifySeconds = (performance.now() - startedAt) / 1_000;
      log('waiting for the mails');
      while (CONTACTS.some((address) => !sentAtMs.has(address))) await sleep(500);
      await sleep(5_000); // for mails too many
      return { notifySeconds, mailsPerContact: CONTACTS.map((address) => mostInInterval(sentAtMs.get(address) ?? [])) };
    },
    async stop() {
      worker.kill();
      if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit');
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const mostInInterval = (times: readonly number[]): number =>
  Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + INTERVAL_MS).length));

function startWorker(workerUrl: string, smtpUrl: string): ChildProcess {
  return spawn(process.execPath, [MAIN, 'worker'], {
    env: {
      PATH: process.env['PATH'],
      LOG_LEVEL: 'warn',
      WORKER_DATABASE_URL: workerUrl,
      METRICS_PORT: '0',
      SMTP_URL: smtpUrl,
      MAIL_FROM: 'alerts@bench.example',
      PUBLIC_URL: 'http://127.0.0.1',
      SECRETS_KEY: 'a key of at least thirty-two characters',
      LINK_SECRET: 'a secret of at least thirty-two characters',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
