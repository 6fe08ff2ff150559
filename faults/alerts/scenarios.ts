import { rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type Pool, type PoolClient } from 'pg';
import { recordLowFills } from '../../engines/events.ts';
import { repeat } from '../../engines/repeat.ts';
import { until } from '../../engines/until.ts';
import { hanging, startReceiver } from '../../engines/webhook_receiver.ts';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { openPool, transaction } from '../../src/db/pool.ts';
import { readConnectionUse } from '../../src/db/server_load.ts';
import { addContact } from '../../src/mail/contacts.ts';
import { createEndpoint } from '../../src/webhooks/endpoints.ts';
import type { ObservedInstallation } from './installation.ts';

/** A fault, and the alerts that must fire because of it. */
export interface Scenario {
  fault: string;
  alerts: readonly string[];
  /** Starts the fault. Returns a function that ends it as far as later scenarios need that. */
  inject: (installation: ObservedInstallation) => Promise<() => Promise<void>>;
}

const nothing = async (): Promise<void> => {};
const UNKNOWN_DEVICES = Array.from({ length: 50 }, (_, n) => `NOBODY${n}`);
const [FAILING_TANK, LOCKED_TANK, LOW_TANK] = [10, 11, 12];

/**
 * The order matters: a fault that is not ended must not prevent the alerts of later scenarios. For alerts that need hours, the times
 * in rows are moved into the past: a delivery that has failed for a minute becomes one that has failed for hours.
 */
export const SCENARIOS: readonly Scenario[] = [
  {
    fault: 'the certificate ends in five days',
    alerts: ['TankwatchCertificateEnds'],
    async inject({ renewCertificate }) {
      await renewCertificate(5);
      return async () => void (await renewCertificate(90));
    },
  },
  {
    fault: 'the api is stopped for a second',
    alerts: ['TankwatchEventLoopBlocked'],
    async inject({ roles: { api } }) {
      if (api.pid === undefined) throw new Error('the api does not run');
      process.kill(api.pid, 'SIGSTOP');
      await sleep(1_000);
      process.kill(api.pid, 'SIGCONT');
      return nothing;
    },
  },
  {
    fault: 'devices that are not assigned send readings',
    alerts: ['TankwatchReadingsRejected'],
    async inject({ send }) {
      for (let n = 0; n < 10; n++) await send(UNKNOWN_DEVICES);
      return nothing;
    },
  },
  {
    fault: 'a replication slot has no reader, archiving fails, and the last backup and the last good drill are old',
    alerts: ['TankwatchSlotHoldsWal', 'TankwatchArchivingFails', 'TankwatchBackupOld', 'TankwatchRestoreDrillOld'],
    inject: neglectBackups,
  },
  {
    fault: 'the disk of the removals is full',
    alerts: ['TankwatchDiskFull'],
    async inject({ disk }) {
      await disk.fill();
      return () => disk.empty();
    },
  },
  {
    fault: 'notifications were held and forgotten',
    alerts: ['TankwatchNotificationsHeld'],
    async inject({ owner }) {
      await owner.query(
        `insert into notification_holds (held_at, reason, holds_sign_in_mails) values (now() - interval '5 hours', 'fault', false)`,
      );
      // The time of the release is moved into the past, because held notifications may be late for some time after it.
      return async () => {
        await owner.query('select release_notifications()');
        await owner.query('update notification_holds set released_at = held_at');
      };
    },
  },
  {
    fault: 'a forgotten session keeps its snapshot, and another one locks the table of jobs',
    alerts: ['TankwatchOldSnapshot', 'TankwatchPoolWaits'],
    async inject({ owner }) {
      const snapshot = await holdWith(owner, 'set transaction isolation level repeatable read', 'select from tanks');
      const lock = await holdWith(owner, 'lock table graphile_worker._private_jobs in access exclusive mode');
      return async () => {
        await lock();
        await snapshot();
      };
    },
  },
  {
    fault: 'a job is not run, and another one failed at every attempt',
    alerts: ['TankwatchJobsLate', 'TankwatchJobsGivenUp'],
    async inject({ owner }) {
      await owner.query(`select graphile_worker.add_job('nobody_runs_it', run_at => now() - interval '1 day')`);
      await owner.query(
        `select graphile_worker.permanently_fail_jobs(array[(graphile_worker.add_job('fault')).id], 'fault')`,
      );
      return async () => {
        await owner.query(
          `select graphile_worker.complete_jobs(array_agg(id)) from graphile_worker.jobs where task_identifier in ('nobody_runs_it', 'fault')`,
        );
      };
    },
  },
  {
    fault: 'a program opens nearly all connections',
    alerts: ['TankwatchConnectionsUsed'],
    async inject({ postgres, owner }) {
      const { open, max } = await readConnectionUse(owner);
      const clients = Array.from(
        { length: Math.ceil(max * 0.93) - open },
        () => new Client({ connectionString: postgres.url }),
      );
      for (const client of clients) await client.connect();
      return async () => {
        for (const client of clients) await client.end();
      };
    },
  },
  {
    fault: 'most of the numbers of a table are used',
    alerts: ['TankwatchNumbersUsed'],
    async inject({ owner }) {
      const sequence = `pg_get_serial_sequence('depots', 'no')`;
      await owner.query(`select setval(${sequence}, (select max_value * 6 / 10 from pg_sequences
        where format('%I.%I', schemaname, sequencename) = ${sequence}))`);
      return nothing;
    },
  },
  {
    fault: 'one server of the stream is killed, and then another one',
    alerts: ['TankwatchStreamReplicaMissing', 'TankwatchStreamWithoutQuorum'],
    async inject({ nats }) {
      const [first, second] = nats.nodes;
      await first?.kill();
      await sleep(10_000);
      await second?.kill();
      return async () => {
        await Promise.all([first?.restart(), second?.restart()]);
        await sleep(10_000); // they elect a leader
      };
    },
  },
  {
    fault: 'the state of a tank cannot be saved, and another tank is locked',
    alerts: ['TankwatchEvaluationFails', 'TankwatchEvaluationBehind'],
    async inject({ owner, tanks, devices, organizationNo, send }) {
      const [failing = 0, locked = 0] = [tanks[FAILING_TANK]?.no, tanks[LOCKED_TANK]?.no];
      const names = [FAILING_TANK, LOCKED_TANK].map((n) => devices[n]?.deviceId ?? '');
      await send(names);
      await untilTrue(owner, `select count(*) = 2 as ok from tank_states where tank_no in (${failing}, ${locked})`);
      // No change of this tank's state can be saved from now on.
      await owner.query(`update tank_states set reevaluate_from = latest_at where tank_no = ${failing}`);
      await owner.query(`alter table tank_states add constraint fault check (tank_no <> ${failing}) not valid`);
      const lock = await holdWith(owner, `select from tank_states where tank_no = ${locked} for update`);
      await owner.query(
        `insert into reevaluations (tank_no, organization_no, next_attempt_at, settings_from, settings_to)
         select no, $2, now() - interval '2 hours', now(), now() from unnest($1::int[]) as no`,
        [[failing, locked], organizationNo],
      );
      return lock;
    },
  },
  {
    fault: 'a counter is changed by hand',
    alerts: ['TankwatchCounterDrift'],
    async inject({ owner, tanks }) {
      await owner.query('update telemetry_month_counters set n = n + 1 where tank_no = $1', [tanks[0]?.no]);
      // The next round of the check begins an hour after the last one.
      await owner.query(`update counter_check set ended_at = now() - interval '2 hours'`);
      return nothing;
    },
  },
  {
    fault: 'a webhook receiver hangs, the mail server is dead, and deliveries are locked',
    alerts: ['TankwatchEndpointFails', 'TankwatchMailsLate', 'TankwatchWebhooksLate'],
    inject: stopNotifications,
  },
  {
    fault: 'the table of readings is locked',
    alerts: ['TankwatchNotReady', 'TankwatchReadingsWait', 'TankwatchStreamFillsUp', 'TankwatchReadingsRefused'],
    async inject({ owner, devices, send }) {
      const lock = await holdWith(owner, 'lock table telemetry in access exclusive mode');
      const many = Array.from({ length: 500 }, (_, n) => devices[n % 5]?.deviceId ?? '');
      // The stream fills within seconds. After that, each attempt is a refused payload.
      const filling = repeat(20, () => send(many));
      return async () => {
        await filling.stop();
        await lock();
      };
    },
  },
  {
    fault: 'the writer is killed, and the partitions are gone',
    alerts: ['TankwatchDown', 'TankwatchRoleMissing', 'TankwatchPartitionsEnd'],
    async inject({ owner, roles }) {
      await roles.writer.kill();
      await owner.query(`do $$
        declare partition regclass;
        begin
          for partition in select inhrelid from pg_inherits where inhparent = 'telemetry'::regclass loop
            execute 'drop table ' || partition;
          end loop;
        end $$`);
      return nothing;
    },
  },
  {
    fault: 'the replica and then the primary are killed',
    alerts: ['TankwatchReplicaLeftOut', 'TankwatchApiErrors'],
    async inject({ postgres, replica }) {
      await replica.kill();
      await sleep(3_000);
      await postgres.kill();
      return async () => {
        await postgres.restart();
        await replica.restart();
      };
    },
  },
];

/**
 * Makes the last backup and the last good drill old, makes archiving fail, and creates WAL that no replica fetches: a segment of 16
 * MB with each switch.
 */
async function neglectBackups({ owner, postgres, archiveRefusal }: ObservedInstallation): Promise<() => Promise<void>> {
  await owner.query(
    `insert into newest_backup (ended_at, label) values (now() - interval '2 days', 'fault')
     on conflict (is_only) do update set ended_at = excluded.ended_at`,
  );
  await owner.query(`insert into restore_drills (started_at, problems) values (now() - interval '40 days', '{}')`);
  const root = openPool({ url: postgres.url, applicationName: 'faults' });
  await root.query(`select pg_create_physical_replication_slot('nobody', true)`);
  await writeFile(archiveRefusal, '');
  for (let n = 0; n < 8; n++) {
    await root.query(`select pg_logical_emit_message(false, 'fault', 'x')`);
    await root.query('select pg_switch_wal()');
  }
  return async () => {
    await root.query(`select pg_drop_replication_slot('nobody')`);
    await rm(archiveRefusal);
    await owner.query(`update newest_backup set ended_at = now()`);
    await root.end();
  };
}

async function stopNotifications(installation: ObservedInstallation): Promise<() => Promise<void>> {
  const { owner, secretsKey, organizationNo, tanks } = installation;
  const hung = await startReceiver(hanging);
  const { url } = hung;
  await transaction(owner, async (tx) => {
    await createEndpoint(tx, organizationNo, { url, types: [] }, secretsKey);
    await addContact(operatorChange(tx, organizationNo), { email: 'dispatch@example.com', types: ['tank.low_fill'] });
  });
  await recordLowFills(owner, { organizationNo, tankNo: tanks[LOW_TANK]?.no ?? 0 });
  // When the first attempts have failed, their times are moved hours into the past.
  await untilTrue(owner, 'select count(*) = 1 as ok from webhook_endpoints where failing_since is not null');
  await owner.query(`update webhook_endpoints set failing_since = now() - interval '2 hours'`);
  await untilTrue(owner, 'select count(*) > 0 as ok from mail_jobs where tries > 0');
  await owner.query(`update mail_jobs set created_at = now() - interval '2 hours' where tries > 0`);
  // A second endpoint has a delivery that is long due. It is enabled once no worker can take deliveries.
  await transaction(owner, (tx) => createEndpoint(tx, organizationNo, { url: `${url}/2`, types: [] }, secretsKey));
  await owner.query(
    `update webhook_endpoints set disabled_at = now(), disabled_because = 'operator' where url like '%/2'`,
  );
  await owner.query(
    `insert into webhook_deliveries (endpoint_no, event_no, next_attempt_at)
     select w.no, e.no, now() - interval '1 hour' from webhook_endpoints w, events e where w.url like '%/2'`,
  );
  const lock = await holdWith(owner, 'lock table webhook_deliveries in share row exclusive mode');
  await owner.query(`update webhook_endpoints set disabled_at = null, disabled_because = null where url like '%/2'`);
  return async () => {
    await lock();
    await owner.query(`update webhook_endpoints set disabled_at = now(), disabled_because = 'operator'`);
    await hung.close();
  };
}

/** Holds the locks and snapshots of these statements in a transaction until the returned function is called. */
async function holdWith(pool: Pool, ...statements: string[]): Promise<() => Promise<void>> {
  const tx: PoolClient = await pool.connect();
  for (const statement of ['begin', ...statements]) await tx.query(statement);
  return async () => {
    await tx.query('rollback');
    tx.release();
  };
}

const untilTrue = (pool: Pool, question: string): Promise<boolean> =>
  until(question, async () => (await pool.query<{ ok: boolean }>(question)).rows[0]?.ok || undefined);
