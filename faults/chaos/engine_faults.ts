import { readNumber } from '../../engines/read_number.ts';
import { type Fault, fault } from './fault.ts';
import type { ChaosInstallation } from './installation.ts';

/** PostgreSQL and nats-server refuse the login of our roles, as after a rotation of passwords that went wrong. */
export function loginFaults({ owner, urls, nats: { nodes }, gateways, writers }: ChaosInstallation): Fault[] {
  const nats = nodes[0];
  const login = new URL(urls.writer);
  const endSessions = (): Promise<unknown> =>
    owner.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [login.username]);
  const databaseRefuses = (name: string, refuse: string, permit: string): Fault =>
    fault(name, {
      async begin() {
        await owner.query(`alter role ${login.username} ${refuse}`);
        await endSessions();
      },
      end: async () => void (await owner.query(`alter role ${login.username} ${permit}`)),
      unable: writers,
      holdMs: 5_000,
      isPartial: false,
    });
  return [
    fault('nats-server refuses the password', {
      begin: async () => nats?.changePassword('another'),
      end: async () => nats?.changePassword('private'),
      unable: [...gateways, ...writers],
      holdMs: 6_000,
      isPartial: false,
    }),
    databaseRefuses('PostgreSQL refuses the login', 'nologin', 'login'),
    databaseRefuses('PostgreSQL has another password', `password 'another'`, `password '${login.password}'`),
  ];
}

const DISK_FULL_MS = 12_000;

/** Makes faults of the small disks. If they could not be mounted, it makes none. */
export function diskFaults({ postgresDisk, natsDisk, gateways, writers, postgres }: ChaosInstallation): Fault[] {
  return [
    ...(postgresDisk
      ? [
          fault("PostgreSQL's disk is full", {
            begin: () => postgresDisk.fill(),
            async end() {
              await postgresDisk.empty();
              // PostgreSQL ends itself when it cannot write its log; a supervisor starts it again.
              if (!postgres.isRunning()) await postgres.restart();
            },
            unable: writers,
            holdMs: DISK_FULL_MS,
            isPartial: false,
          }),
        ]
      : []),
    ...(natsDisk
      ? [
          fault("nats-server's disk is full", {
            begin: () => natsDisk.fill(),
            end: () => natsDisk.empty(),
            unable: gateways,
            undecided: writers,
            holdMs: DISK_FULL_MS,
            isPartial: false,
          }),
        ]
      : []),
  ];
}

/** Data that cannot be evaluated must not keep any reading from being stored, nor other tanks from being evaluated. */
export function poisonFaults({ owner, tanks }: ChaosInstallation): Fault[] {
  const [poisoned = 0, other = 0] = tanks.map(({ no }) => no);
  return [
    fault('a state that cannot be read', {
      begin: async () => {
        await owner.query(`update tank_states set encoded_state = '["poison"]' where tank_no = $1`, [poisoned]);
      },
      // Nothing is repaired by hand: the tank is evaluated again from its readings.
      end: async () => {},
      holdMs: 8_000,
    }),
    fault('a tank that cannot be evaluated', {
      async begin() {
        await owner.query(`alter table events add constraint poison check (tank_no <> ${poisoned})`);
        // With this threshold both tanks are low, so that both must raise an event.
        await owner.query('update tanks set min_fill_alert_percentage = 95 where no = any ($1)', [[poisoned, other]]);
      },
      async end() {
        const lowFills = `select count(*) as n from events where tank_no = $1 and type = 'tank.low_fill'`;
        const events = await readNumber(owner, lowFills, [other]);
        await owner.query('alter table events drop constraint poison');
        if (events !== 1)
          throw new Error(
            `tank ${other} has ${events} events tank.low_fill, not 1, while tank ${poisoned} could not be evaluated`,
          );
      },
      holdMs: 10_000,
    }),
  ];
}
