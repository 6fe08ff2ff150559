/** The sections of docs/operators/settings.md. Names, defaults and accepted values come from the code that reads the settings. */
export const SECTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Database: {
    DATABASE_URL: 'for everything that has no address of its own',
    API_DATABASE_URL: 'a login with the role `tankwatch_api`',
    GATEWAY_DATABASE_URL: 'a login with the role `tankwatch_gateway`',
    WRITER_DATABASE_URL: 'a login with the role `tankwatch_writer`',
    WORKER_DATABASE_URL: 'a login with the role `tankwatch_worker`',
    CONNECTOR_DATABASE_URL: 'a login with the role `tankwatch_worker`, for the connector',
    OPERATOR_DATABASE_URL: 'a login with the role `tankwatch_operator`, for commands',
    MANAGE_DATABASE_URL:
      'a login with the role `tankwatch_manager`, for [changes over HTTP](access.md#allow-changes-over-http)',
    MIGRATE_DATABASE_URL: 'the login that owns the tables',
    API_DATABASE_CONNECTIONS: 'database connections of the api; use more when the data does not fit into memory',
    DATABASE_REPLICA_URLS: '[replicas](many-machines.md#read-from-replicas) that serve the reads of the api',
    REPLICA_MAX_LAG_MS: 'a replica that is further behind the primary is left out until it has caught up',
    CELL_NUMBER:
      'the number of this [cell](many-machines.md#take-an-organizations-secrets-to-another-cell); set it before the first `tankwatch migrate`',
    BACKUP_PASSPHRASE:
      'encrypts the files of [`tankwatch backup`](guide.md#back-up). Without it, nobody can read them, so keep it on another machine too',
    BACKUP_TO:
      'where [`tankwatch backup`](guide.md#back-up) writes unless it has `--to`, also every night: a folder, or `s3://bucket/folder`',
    BACKUP_S3_ENDPOINT: 'the address of an S3-compatible storage for backups; without it, that of Amazon in the region',
    BACKUP_S3_REGION: 'the region of that storage; many other than Amazon accept `us-east-1`',
    BACKUP_S3_KEY_ID: 'the key of that storage',
    BACKUP_S3_SECRET: 'the secret of that key',
    OPERATOR_NAME:
      'your name in the audit log, unless a command has `--as`. Without it, the user who ran `sudo`, or the user of the process',
    SLOT: 'the slot of new organizations, in an installation with only one slot',
    SLOTS:
      'the [slots](daily.md#create-an-organization-a-customer-and-a-tank) of new organizations. If `SLOT` is set, it is the default',
  },
  Secrets: {
    DEVICE_SECRET:
      'device passwords are derived from it. Keep a copy: without it every device needs a new password. An api that has it shows device passwords',
    DEVICE_SECRET_PREVIOUS: 'the previous `DEVICE_SECRET`, while you [replace it](access.md#replace-the-device-secret)',
    SECRETS_KEY:
      'encrypts the secrets in the database, such as those of webhooks and sources. Keep a copy: without it every webhook and source needs a new secret, and every person must turn [notifications in browsers](duty.md#tell-people-in-their-browsers) on again. Api and gateway need it only until `tankwatch secrets reseal` has run, if organizations came from another cell',
    SECRETS_KEY_PREVIOUS: 'the previous `SECRETS_KEY`, while you [replace it](access.md#replace-the-secrets-key)',
    API_SECRETS_KEY:
      'encrypts what the api stores, such as the client secrets of issuers. `tankwatch secrets api-key` derives it from `SECRETS_KEY`. A process that has `SECRETS_KEY`, such as `tankwatch up`, needs no value',
    API_SECRETS_KEY_PREVIOUS:
      'the key derived from `SECRETS_KEY_PREVIOUS`, while you [replace it](access.md#replace-the-secrets-key)',
    LINK_SECRET: 'signs the links in mails and those of drivers. Worker and api need the same value',
    LINK_SECRET_PREVIOUS: 'the previous `LINK_SECRET`, while you replace it',
  },
  HTTP: {
    API_HOST: 'address that the api listens on',
    API_PORT: 'port of the api; put a proxy with TLS in front of it',
    API_DRAIN_MS: 'how long the api reports "not ready" after SIGTERM before it closes, in milliseconds',
    PUBLIC_URL: 'the public address of the api, for the API reference and the links in mails. Required with `SMTP_URL`',
    OIDC_SESSION_MINUTES:
      'how long a person who [signs in with OpenID Connect](access.md#when-access-ends) stays signed in',
    CORS_ORIGINS: 'origins of the web pages that may read the API in a browser',
    CONSOLE:
      'whether the console is served at `/console`, mails about a tank link to it, and people sign in by mail. The same value for all roles',
    MAP_STYLE_URL: "a MapLibre style for the background of the console's [map](access.md#show-roads-on-the-map)",
    MAP_PMTILES: 'a file with map tiles that the api serves itself. Set either this or `MAP_STYLE_URL`',
    SECURITY_CONTACT: 'where to report a vulnerability. With it, the api serves `/.well-known/security.txt` (RFC 9116)',
    TRUSTED_PROXIES: 'addresses or networks of the proxies whose `X-Forwarded-For` header is used',
  },
  Gateway: {
    GATEWAY_HOST: 'address that the gateway listens on',
    GATEWAY_HTTP_PORT: 'port for readings over HTTP; put a proxy with TLS in front of it',
    GATEWAY_MQTT_PORT: 'port for MQTT. With `GATEWAY_TLS_CERT`, the default is 8883',
    GATEWAY_TLS_CERT:
      'the certificate. With it, MQTT accepts only TLS (1.2 or newer). The gateway uses renewed files within 10 seconds, without a restart',
    GATEWAY_TLS_KEY: 'the key of the certificate',
    GATEWAY_PROXY_PROTOCOL:
      'with `on`, every MQTT connection must begin with a header of the PROXY protocol, version 1 or 2; let only the proxy reach the port. With `auto`, connections from this machine may begin with one',
    GATEWAY_MAX_CONNECTIONS: 'device connections at most; also raise the limit of open files of the process',
    GATEWAY_MAX_CONNECTIONS_PER_ADDRESS:
      'connections from one IP address at most; devices of a mobile network share addresses',
    GATEWAY_FAILED_LOGINS_PER_SECOND:
      'failed logins per second from one IP address, with bursts of ten times as many. Above it, connections from this address are refused',
    GATEWAY_DEVICE_PUBLISHES_PER_SECOND: 'messages per second of one device; more are delayed',
    GATEWAY_DEVICE_READINGS_PER_SECOND:
      'readings per second of one device, with bursts of 100 times as many; more are delayed',
    GATEWAY_REJECTED_MIB_PER_DAY:
      'MiB of rejected readings that a gateway stores a day for each key, and for all devices of an organization, and a connector for its sources. More are rejected without a record',
    GATEWAY_ORGANIZATION_READINGS_PER_SECOND:
      'readings per second of an organization without its own [quota](access.md#limit-what-one-organization-can-send)',
    GATEWAY_DRAIN_MS: 'how long the gateway reports "not ready" after SIGTERM before it closes, in milliseconds',
  },
  'Stream and writer': {
    NATS_URL:
      'address of nats-server, for everything without its own; `tls://` for TLS; several are separated by commas',
    GATEWAY_NATS_URL: 'the same for the gateway',
    CONNECTOR_NATS_URL: 'the same for the connector, with the rights of a gateway',
    WRITER_NATS_URL: 'the same for the writer',
    OPERATOR_NATS_URL: 'the same for commands',
    NATS_STREAM: 'name of the stream; two installations on one nats-server need different names',
    NATS_REPLICAS: 'copies of the stream; 3 on a cluster of three',
    STREAM_MAX_MIB: 'maximum size of the stream, in MiB',
    STREAM_KEEP_DAYS: 'how long committed messages stay in the stream for a replay, in days',
    WRITER_LANES: 'parallel transactions of a writer',
    EVENTS:
      'with `off`, readings are stored but not evaluated. After you switch it on again, tanks are evaluated from their first reading',
  },
  'Connector: sources that are asked': {
    CONNECTOR_ALLOW_HTTP: 'whether [sources](sources.md) may be asked over `http://`, and brokers over `mqtt://`',
    CONNECTOR_ALLOW_PRIVATE: 'whether sources may have private addresses',
    CONNECTOR_READINGS_PER_SECOND:
      'readings that the sources of an organization may add to the stream in a second, so that their past does not delay others',
  },
  'Worker: webhooks and mails': {
    WEBHOOK_DNS_SERVERS:
      'name servers for the hosts of webhooks and sources, such as `10.0.0.2` or `10.0.0.2:5353`. Without it, those of the system. `/etc/hosts` is not read',
    WEBHOOK_ALLOW_HTTP: 'whether [webhooks](notifications.md#manage-webhooks) may use `http://`',
    WEBHOOK_ALLOW_PRIVATE: 'whether they may go to private addresses',
    SMTP_URL: 'the mail server; also `smtps://`. Without it no mails are sent',
    SMTP_REQUIRE_TLS:
      'whether mails are sent only over an encrypted connection. For a mail server on this machine, the default is `false`',
    MAIL_FROM: 'sender of the mails. Required with `SMTP_URL`',
    MAIL_CONCURRENCY:
      'how many mails a worker sends at a time, each over its own connection to the mail server and with up to two to PostgreSQL',
    MAIL_REMINDER_DAYS: 'days between two mails about a tank that is still low; `0`: no reminders',
    REMOVALS_FILE:
      'the file to which the worker appends [what was deleted and revoked](backup.md#delete-and-revoke-again-after-a-restore)',
    RETENTION_REJECTED_DAYS:
      'how many days rejected readings are [kept](data.md#set-how-long-data-is-kept); `0`: forever',
    RETENTION_DELIVERIES_DAYS: 'the same for webhook deliveries',
    RETENTION_MAILS_DAYS: 'the same for the record of sent mails',
    RETENTION_EVENTS_DAYS: 'the same for events',
    RETENTION_TELEMETRY_DAYS:
      'the same for readings, by whole months, of organizations without a value of their own; `0`, or 90 or more',
    RETENTION_ARCHIVE_FOLDER:
      'folder for compressed NDJSON files of the readings that are dropped; empty: they are not archived',
    RETENTION_KEY_ACTIVITY_DAYS:
      'how many days the addresses are kept from which keys were used (`tankwatch keys activity`); `0`: forever',
    RETENTION_AUDIT_DAYS: 'the same for the audit log; `0`, or 30 or more',
  },
  'Health, metrics and logs': {
    METRICS_HOST:
      'address of `/metrics`, `/healthz` and `/readyz`, which need no key. If Prometheus runs on another machine, use an address of the internal network',
    METRICS_PORT: 'their port; several roles on one machine need different ports',
    LOG_LEVEL: 'logs are JSON lines on standard output',
    LOG_ADDRESSES:
      'where the IP addresses of clients are kept: `keys` in [`tankwatch keys activity`](incidents.md#a-key-was-stolen), `on` also in the request log, `off` nowhere',
  },
  '`tankwatch doctor`': {
    NATS_MONITOR_URL: 'the `http` addresses in the configuration of the nats-servers, such as `http://127.0.0.1:8222`',
    GATEWAY_URL: 'the address that senders use for readings over HTTP',
    PGDATA: 'the data folder of PostgreSQL, if it is on this machine',
    NATS_DATA: 'the data folder of nats-server, if it is on this machine',
  },
  '`tankwatch up`': {
    POSTGRES_FOLDER: 'the data of the PostgreSQL that `up` starts. Without it, `up` starts none',
    POSTGRES_BIN: 'the folder with the programs of that server',
    POSTGRES_PORT: 'its port on 127.0.0.1',
    POSTGRES_PASSWORD: 'the password of its superuser `postgres`',
    POSTGRES_MAX_WAL_MIB: 'its `max_wal_size`, in MiB; `tankwatch init` chooses it by the free space of the disk',
    NATS_CONFIG: 'the configuration of the nats-server that `up` starts. Without it, `up` starts none',
    NATS_SERVER: 'the program, of version 2.10.23 or newer',
    NATS_PORT: 'its port, as in its configuration',
    NATS_GATEWAY_PASSWORD: 'the password of the user `gateway` in its configuration',
    NATS_WRITER_PASSWORD: 'the password of the user `writer`',
    NATS_OPERATOR_PASSWORD: 'the password of the user `operator`',
  },
};
