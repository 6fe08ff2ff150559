import { type Fault, fault } from './fault.ts';
import type { ChaosInstallation, Part, WriterPart } from './installation.ts';

/** Stops processes without ending them, as if they were paused, swapped out or on a frozen virtual machine. */
export function stopFaults(installation: ChaosInstallation): Fault[] {
  const { gateways, writers } = installation;
  const nats = installation.nats.nodes[0];
  return [
    ...[...gateways, ...writers].map(stoppedRole),
    ...writers.map((writer) => stoppedBackends(installation, writer)),
    fault('SIGSTOP nats-server', {
      begin: async () => signal(nats?.pid(), 'SIGSTOP'),
      end: async () => signal(nats?.pid(), 'SIGCONT'),
      unable: [...gateways, ...writers],
      isPartial: false,
    }),
  ];
}

/** A stopped writer may hold locks of tanks in an open transaction. The other writer must get them during this fault. */
export const stoppedRole = (part: Part): Fault =>
  fault(`SIGSTOP ${part.name}`, {
    begin: async () => signal(part.process.pid, 'SIGSTOP'),
    end: async () => signal(part.process.pid, 'SIGCONT'),
    unable: [part],
    holdMs: 15_000,
  });

/** Stops the backends of a writer, as if the host of the database hung: connections stay open without answers. */
export function stoppedBackends({ owner, writers }: ChaosInstallation, writer: WriterPart): Fault {
  let pids: number[] = [];
  return fault(`SIGSTOP the PostgreSQL backends of ${writer.name}`, {
    async begin() {
      const { rows } = await owner.query<{ pid: number }>(
        'select pid from pg_stat_activity where client_port = any ($1)',
        [writer.toPostgres.farPorts()],
      );
      pids = rows.map(({ pid }) => pid);
      for (const pid of pids) signal(pid, 'SIGSTOP');
    },
    end: async () => pids.forEach((pid) => signal(pid, 'SIGCONT')),
    // The writer may reconnect at once and work. A backend that is stopped in a transaction keeps its tanks locked, and no
    // timeout of the server ends it: then neither writer can store readings of these tanks.
    undecided: writers,
    holdMs: 12_000,
    isPartial: false,
  });
}

export function clockFaults({ writers }: ChaosInstallation): Fault[] {
  return writers.flatMap((writer) => [clockJump(writer, 1), clockJump(writer, -1)]);
}

/** Sets the clock of a writer wrong by an hour, for longer than its timers need to run once. */
export const clockJump = (writer: WriterPart, hours: 1 | -1): Fault =>
  fault(`clock of ${writer.name} ${hours > 0 ? 'an hour ahead' : 'an hour behind'}`, {
    begin: () => writer.moveClock(hours * 3_600_000),
    end: () => writer.moveClock(0),
    holdMs: 18_000,
  });

function signal(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined || pid === 0) throw new Error(`there is no process to send ${name} to`);
  process.kill(pid, name);
}
