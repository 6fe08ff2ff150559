import { databaseUrl, withPort } from '../../engines/logins.ts';
import { isWhole } from '../support/whole_tests.ts';
import { test as base, type Mistake, makeAll, type Situation } from './situation.ts';

/** The address of PostgreSQL in messages. */
const addressOf = ({ database }: Situation): string => new URL(database.ownerUrl).host;

function withPassword(url: string, password: string): string {
  const changed = new URL(url);
  changed.password = password;
  return changed.href;
}

/** Mistakes in the address of the database. Roles and commands report them with the same messages. */
const DATABASE_MISTAKES: Mistake[] = [
  {
    name: 'a command with a wrong password of the database',
    run: ['organizations', 'list'],
    with: ({ database }) => ({ OPERATOR_DATABASE_URL: withPassword(database.urls.operator, 'wrong-password') }),
    cause: (situation) => `PostgreSQL at ${addressOf(situation)} refused the login`,
    next: 'correct user and password in OPERATOR_DATABASE_URL',
  },
  {
    name: 'a command with an unknown user of the database',
    run: ['organizations', 'list'],
    with: ({ database }) => ({ OPERATOR_DATABASE_URL: database.urls.operator.replace(/\/\/[^:]+:/, '//stranger:') }),
    cause: (situation) => `PostgreSQL at ${addressOf(situation)} refused the login`,
    next: 'correct user and password in OPERATOR_DATABASE_URL',
  },
  {
    name: 'a command without a password of the database',
    run: ['organizations', 'list'],
    with: ({ database }) => ({ OPERATOR_DATABASE_URL: withPassword(database.urls.operator, '') }),
    cause: (situation) =>
      `PostgreSQL at ${addressOf(situation)} asks for a password, and OPERATOR_DATABASE_URL has none`,
    next: 'write it as postgres://user:password@host:port/database',
  },
  {
    name: 'a command with an unknown database',
    run: ['organizations', 'list'],
    with: ({ database }) => ({ OPERATOR_DATABASE_URL: databaseUrl(database.urls.operator, 'not_there') }),
    cause: 'has no such database (database "not_there" does not exist)',
    next: 'create it, or correct the name at the end of OPERATOR_DATABASE_URL',
  },
  {
    name: 'a command with a stopped PostgreSQL, or a wrong port',
    run: ['organizations', 'list'],
    with: ({ database, freePort }) => ({ OPERATOR_DATABASE_URL: withPort(database.urls.operator, freePort) }),
    cause: ({ freePort }) => `nothing listens at 127.0.0.1:${freePort}, where PostgreSQL should be`,
    next: 'start PostgreSQL, or correct host and port in OPERATOR_DATABASE_URL',
  },
  {
    name: 'a command whose database port is that of nats-server',
    run: ['organizations', 'list'],
    with: ({ database, valid }) => ({
      OPERATOR_DATABASE_URL: withPort(database.urls.operator, Number(new URL(valid['NATS_URL'] ?? '').port)),
    }),
    cause: 'PostgreSQL at 127.0.0.1:',
    next: 'host and port in OPERATOR_DATABASE_URL',
  },
  {
    name: 'a command with a host name that does not exist',
    run: ['organizations', 'list'],
    with: () => ({ OPERATOR_DATABASE_URL: 'postgres://user:wrong-password@database.invalid:5432/tankwatch' }),
    cause: 'the host name of PostgreSQL at database.invalid:5432 is not known',
    next: 'correct it in OPERATOR_DATABASE_URL',
  },
  {
    name: 'a # in a password',
    run: ['organizations', 'list'],
    with: () => ({ OPERATOR_DATABASE_URL: 'postgres://user:wrong-password#1@localhost:5432/tankwatch' }),
    cause: 'OPERATOR_DATABASE_URL has a # in its user name or password, which breaks the address',
    next: 'write it as %23',
  },
  {
    name: 'a # behind digits in a password, which looks like a host and a port',
    run: ['organizations', 'list'],
    with: () => ({ OPERATOR_DATABASE_URL: 'postgres://user:12#wrong-password@localhost:5432/tankwatch' }),
    cause: 'OPERATOR_DATABASE_URL has a # in its user name or password, which breaks the address',
    next: 'write it as %23',
  },
  {
    name: 'a % in a password',
    run: ['organizations', 'list'],
    with: () => ({ OPERATOR_DATABASE_URL: 'postgres://user:wrong-password%1@localhost:5432/tankwatch' }),
    cause: 'OPERATOR_DATABASE_URL has a % in its user name or password that begins no code',
    next: 'write it as %25',
  },
  {
    name: 'no address of the database',
    run: ['organizations', 'list'],
    with: () => ({ OPERATOR_DATABASE_URL: '' }),
    cause: 'OPERATOR_DATABASE_URL or DATABASE_URL must be set to a PostgreSQL address',
    next: 'such as postgres://user:password@localhost:5432/tankwatch',
  },
  {
    name: 'an address that is not of PostgreSQL',
    run: ['organizations', 'list'],
    with: () => ({ OPERATOR_DATABASE_URL: 'http://localhost:5432/tankwatch' }),
    cause: 'must be set to a PostgreSQL address',
    next: 'such as postgres://user:password@localhost:5432/tankwatch',
  },
  {
    name: 'a command with a database that was never migrated',
    run: ['organizations', 'list'],
    with: ({ emptyUrl }) => ({ OPERATOR_DATABASE_URL: emptyUrl }),
    cause: 'is not migrated to this release (relation "organizations" does not exist)',
    next: 'run: tankwatch migrate',
  },
  {
    name: 'a command whose login has no rights',
    run: ['organizations', 'list'],
    with: ({ noRightsUrl }) => ({ OPERATOR_DATABASE_URL: noRightsUrl }),
    cause: 'the login in OPERATOR_DATABASE_URL lacks rights in the database',
    next: 'grant tankwatch_operator to the login, as in deploy/logins.sql',
  },
  {
    name: 'migrate with a login that does not own the tables',
    run: ['migrate'],
    with: ({ noRightsUrl }) => ({ MIGRATE_DATABASE_URL: noRightsUrl }),
    cause: 'the login in MIGRATE_DATABASE_URL lacks rights in the database',
    next: 'set MIGRATE_DATABASE_URL to the login that owns the tables',
  },
  {
    name: 'an api with a wrong password of the database',
    run: ['api'],
    with: ({ database }) => ({ API_DATABASE_URL: withPassword(database.urls.api, 'wrong-password') }),
    cause: (situation) => `PostgreSQL at ${addressOf(situation)} refused the login`,
    next: 'correct user and password in API_DATABASE_URL',
    ends: 'waits',
  },
  {
    name: 'a gateway with a stopped PostgreSQL',
    run: ['gateway'],
    with: ({ database, freePort }) => ({ GATEWAY_DATABASE_URL: withPort(database.urls.gateway, freePort) }),
    cause: ({ freePort }) => `nothing listens at 127.0.0.1:${freePort}, where PostgreSQL should be`,
    next: 'start PostgreSQL, or correct host and port in GATEWAY_DATABASE_URL',
    ends: 'waits',
  },
  {
    name: 'a writer with a login without rights',
    run: ['writer'],
    with: ({ noRightsUrl }) => ({ WRITER_DATABASE_URL: noRightsUrl }),
    cause: 'the login in WRITER_DATABASE_URL lacks rights in the database',
    next: 'grant tankwatch_writer to the login',
    ends: 'waits',
  },
  {
    name: 'a writer with a database that was never migrated',
    run: ['writer'],
    with: ({ emptyUrl }) => ({ WRITER_DATABASE_URL: emptyUrl }),
    cause: 'is not migrated to this release',
    next: 'run: tankwatch migrate',
    ends: 'waits',
  },
  {
    name: 'an api with a database that was never migrated',
    run: ['api'],
    with: ({ emptyUrl }) => ({ API_DATABASE_URL: emptyUrl }),
    cause: 'is not migrated to this release',
    next: 'run: tankwatch migrate',
    ends: 'waits',
  },
  {
    name: 'a worker with the database of an older release',
    run: ['worker'],
    with: ({ oldUrl }) => ({ WORKER_DATABASE_URL: oldUrl }),
    cause: 'is not migrated to this release',
    next: 'run: tankwatch migrate',
  },
  {
    name: 'a worker with an unknown database',
    run: ['worker'],
    with: ({ database }) => ({ WORKER_DATABASE_URL: databaseUrl(database.urls.worker, 'not_there') }),
    cause: 'has no such database',
    next: 'correct the name at the end of WORKER_DATABASE_URL',
  },
];

const NATS_MISTAKES: Mistake[] = [
  {
    name: 'a writer with a wrong password of nats-server',
    run: ['writer'],
    with: ({ valid }) => ({ NATS_URL: withPassword(valid['NATS_URL'] ?? '', 'wrong-password') }),
    cause: 'refused the login of the user tankwatch',
    next: 'correct user and password in NATS_URL',
    ends: 'waits',
  },
  {
    name: 'a gateway without a login of nats-server',
    run: ['gateway'],
    with: ({ valid }) => ({ GATEWAY_NATS_URL: (valid['NATS_URL'] ?? '').replace(/\/\/.*@/, '//') }),
    cause: 'asks for a login, and GATEWAY_NATS_URL has none',
    next: 'write it as nats://user:password@host:port',
    ends: 'waits',
  },
  {
    name: 'a gateway with a stopped nats-server, or a wrong port',
    run: ['gateway'],
    with: ({ freePort }) => ({ NATS_URL: `nats://127.0.0.1:${freePort}` }),
    cause: ({ freePort }) => `nothing listens at 127.0.0.1:${freePort}, where nats-server should be`,
    next: 'start nats-server, or correct host and port in NATS_URL',
    ends: 'waits',
  },
  {
    name: 'a writer with a nats-server without JetStream',
    run: ['writer'],
    with: ({ natsWithoutJetStream }) => ({ NATS_URL: natsWithoutJetStream }),
    cause: 'has no JetStream',
    next: 'add a jetstream block to its configuration, as in deploy/nats.conf',
    ends: 'waits',
  },
  {
    name: 'a writer with a stream that is larger than the disk space of nats-server',
    run: ['writer'],
    with: () => ({ STREAM_MAX_MIB: '16000000', NATS_STREAM: 'too_large' }),
    cause: 'has no room for the stream',
    next: 'raise max_file_store in its configuration, or lower STREAM_MAX_MIB',
    ends: 'waits',
  },
  {
    name: 'a command with the port of PostgreSQL for nats-server',
    run: ['stream', 'status'],
    with: ({ database }) => ({ NATS_URL: `nats://127.0.0.1:${new URL(database.ownerUrl).port}` }),
    cause: 'does not answer as nats-server does',
    next: 'check that nats-server runs there, and host and port in NATS_URL',
  },
  {
    name: 'a command with a wrong password of nats-server',
    run: ['stream', 'status'],
    with: ({ valid }) => ({ OPERATOR_NATS_URL: withPassword(valid['NATS_URL'] ?? '', 'wrong-password') }),
    cause: 'refused the login of the user tankwatch',
    next: 'correct user and password in OPERATOR_NATS_URL',
  },
  {
    name: 'a # in the password of nats-server',
    run: ['gateway'],
    with: () => ({ NATS_URL: 'nats://user:wrong-password#@localhost:4222' }),
    cause: 'NATS_URL has a # in its user name or password',
    next: 'write it as %23',
  },
  {
    name: 'a stream that no role has created',
    run: ['stream', 'status'],
    with: () => ({ NATS_STREAM: 'nothing' }),
    cause: 'the stream nothing does not exist',
    next: 'a gateway or writer creates it when it starts',
  },
];

const SETTING_MISTAKES: Mistake[] = [
  {
    name: 'a port that another program uses',
    run: ['api'],
    with: ({ usedPort }) => ({ API_PORT: String(usedPort) }),
    cause: ({ usedPort }) => `port ${usedPort} of 127.0.0.1 is in use`,
    next: 'or set API_PORT to another port',
  },
  {
    name: 'a port of MQTT that another program uses',
    run: ['gateway'],
    with: ({ usedPort }) => ({ GATEWAY_MQTT_PORT: String(usedPort) }),
    cause: ({ usedPort }) => `port ${usedPort} of 127.0.0.1 is in use`,
    next: 'or set GATEWAY_MQTT_PORT to another port',
  },
  {
    name: 'a port of metrics that another program uses',
    run: ['api'],
    with: ({ usedPort }) => ({ METRICS_PORT: String(usedPort) }),
    cause: ({ usedPort }) => `port ${usedPort} of 127.0.0.1 is in use`,
    next: 'or set METRICS_PORT to another port',
  },
  {
    name: 'one port for two listeners',
    run: ['all'],
    with: ({ freePort }) => ({ API_PORT: String(freePort), GATEWAY_HTTP_PORT: String(freePort) }),
    cause: ({ freePort }) => `both are ${freePort}`,
    next: 'API_PORT and GATEWAY_HTTP_PORT must be different ports',
  },
  {
    name: 'an address of another machine to listen on',
    run: ['api'],
    with: () => ({ API_HOST: '192.0.2.1', API_PORT: '8080' }),
    cause: '192.0.2.1 is not an address of this machine',
    next: 'correct API_HOST',
  },
  {
    name: 'a port that is not a number',
    run: ['api'],
    with: () => ({ API_PORT: '80a' }),
    cause: 'not "80a"',
    next: 'API_PORT must be a whole number from 0 to 65535',
  },
  {
    name: 'a misspelt setting',
    run: ['config', 'check', 'api'],
    with: () => ({ API_PROT: '8080' }),
    cause: 'API_PROT is not a setting of Tankwatch',
    next: 'did you mean API_PORT?',
    ends: 0,
  },
  {
    name: 'a misspelt setting of a role',
    run: ['api'],
    with: ({ usedPort }) => ({ API_PROT: '8080', API_PORT: String(usedPort) }),
    cause: 'API_PROT is not a setting of Tankwatch; did you mean API_PORT?',
    next: 'or set API_PORT to another port',
  },
  {
    name: 'a missing secret of devices',
    run: ['gateway'],
    with: () => ({ DEVICE_SECRET: '' }),
    cause: 'DEVICE_SECRET must be',
    next: 'at least 32 characters',
  },
  {
    name: 'a secret that is too short',
    run: ['worker'],
    with: () => ({ SECRETS_KEY: 'short' }),
    cause: 'SECRETS_KEY must be',
    next: 'at least 32 characters, such as: openssl rand -base64 48',
  },
  {
    name: 'a certificate file that does not exist',
    run: ['gateway'],
    with: () => ({ GATEWAY_TLS_CERT: '/not/there.pem', GATEWAY_TLS_KEY: '/not/there.key' }),
    cause: 'GATEWAY_TLS_CERT names a file that cannot be read',
    next: "no such file or directory, open '/not/there.pem'; correct the path, or the rights of the file",
  },
  {
    name: 'a # in the password of the mail server',
    run: ['worker'],
    with: () => ({ SMTP_URL: 'smtp://user:wrong-password#@mail.example.com:587' }),
    cause: 'SMTP_URL has a # in its user name or password',
    next: 'write it as %23',
  },
];

const MISTAKES = isWhole('mistakes/startup')
  ? [...DATABASE_MISTAKES, ...NATS_MISTAKES, ...SETTING_MISTAKES]
  : [DATABASE_MISTAKES, NATS_MISTAKES, SETTING_MISTAKES].flatMap((mistakes) => mistakes.slice(0, 2));

const test = base.extend<{ $file: { results: ReadonlyMap<string, Promise<void>> } }>({
  results: [async ({ situation }, use) => use(makeAll(MISTAKES, situation)), { scope: 'file' }],
});

for (const { name } of MISTAKES)
  test(`the message about ${name} names the cause and what to do`, ({ results }) => results.get(name));
