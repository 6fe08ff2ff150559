import { createWriteStream } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { firstLevelOf } from '../../bench/load_client/load_record.ts';
import { type Installation, startInstallation } from '../../engines/installation.ts';
import { type MailServer, type ReceivedMail, startMailServer } from '../../engines/mail_server.ts';
import { type Receiver, startReceiver } from '../../engines/webhook_receiver.ts';
import { DEVICES } from '../load.ts';
import { type People, provisionPeople } from './people.ts';

export const ROLES = ['gateway', 'writer', 'worker', 'api'] as const;
const HEAP_SAMPLES = fileURLToPath(new URL('heap_samples.ts', import.meta.url));

export interface SoakInstallation extends Installation {
  people: People;
  receiver: Receiver;
  mails: ReceivedMail[];
  /** The settings of the roles that are secret. */
  settingSecrets: readonly string[];
  heapFile: (role: string) => string;
  /** Stops the roles, so that their logs are complete. */
  stopRoles(): Promise<void>;
  logFiles: () => Promise<string[]>;
}

/** Gives a tank a threshold up to twelve points below its first level, so that alerts happen during the whole run. */
const lowTank = (device: number) => ({ min_fill_alert_percentage: Math.floor(firstLevelOf(device)) - (device % 12) });

/** Every role as a process that logs everything to a file, with a mail server and a receiver of webhooks. */
export async function startSoakInstallation(folder: string, heapIntervalMs: number): Promise<SoakInstallation> {
  const mails: ReceivedMail[] = [];
  const mailServer: MailServer = await startMailServer({ onMail: (mail) => mails.push(mail) });
  // One webhook in twenty fails and is sent again.
  const receiver = await startReceiver((response) => response.writeHead(Math.random() < 0.05 ? 500 : 204).end());
  const installation = await startInstallation({
    devices: DEVICES,
    tank: lowTank,
    // The settings of docs/operators/data.md.
    postgresSettings: {
      log_min_messages: 'info',
      log_error_verbosity: 'terse',
      logging_collector: 'on',
      log_directory: 'log',
    },
    settings: {
      LOG_LEVEL: 'trace',
      SMTP_URL: mailServer.url,
      MAIL_FROM: 'alerts@gas.example',
      TRUSTED_PROXIES: '127.0.0.1',
      NODE_OPTIONS: `--import=${HEAP_SAMPLES}`,
      HEAP_SAMPLES_INTERVAL_MS: String(heapIntervalMs),
    },
  });
  const people = await provisionPeople(installation, receiver.url);
  await mkdir(join(folder, 'logs'));
  const heapFile = (role: string): string => join(folder, `${role}.heap`);
  const logs = ROLES.map((name) => createWriteStream(join(folder, 'logs', `${name}.log`)));
  const roles = ROLES.map((name, index) => {
    const role = installation.role(name, { HEAP_SAMPLES_FILE: heapFile(name), PUBLIC_URL: installation.apiUrl });
    role.onOutput = (text) => void logs[index]?.write(text);
    return role;
  });
  for (const role of roles) await role.start();
  const { environment, urls } = installation;
  const passwords = [...Object.values(urls), environment['NATS_URL'] ?? ''].map((url) => new URL(url).password);
  return {
    ...installation,
    people,
    receiver,
    mails,
    settingSecrets: [
      ...['LINK_SECRET', 'DEVICE_SECRET', 'SECRETS_KEY'].map((name) => environment[name] ?? ''),
      ...passwords.filter((password) => password.length >= 16),
    ],
    heapFile,
    async stopRoles() {
      await Promise.all(roles.map((role) => role.stop()));
      for (const log of logs) log.end();
      await Promise.all(logs.map((log) => finished(log)));
    },
    async logFiles() {
      const ofServer = join(installation.postgres.dataFolder, 'data', 'log');
      return [
        ...ROLES.map((name) => join(folder, 'logs', `${name}.log`)),
        ...(await readdir(ofServer)).map((name) => join(ofServer, name)),
      ];
    },
    async stop() {
      await installation.stop();
      await receiver.close();
      await mailServer.stop();
    },
  };
}
