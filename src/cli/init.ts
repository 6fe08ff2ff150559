import { createInterface } from 'node:readline/promises';
import { type Command, Option } from 'commander';
import { codeFromName } from '../catalog/slots.ts';
import { readOperatorName } from '../settings/command_settings.ts';
import { type DatabaseChoice, hasLocalServer } from '../setup/choose_database.ts';
import { writeCompose } from '../setup/compose.ts';
import { isFreePort } from '../setup/first_free_port.ts';
import type { InitReport } from '../setup/init_report.ts';
import { initialize } from '../setup/initialize.ts';
import { initializeDatabase } from '../setup/initialize_database.ts';
import { type InstallPaths, installPathsFor, PROGRAM_FOLDER } from '../setup/install_paths.ts';
import { assertCanInstallUnit, installUnit } from '../setup/systemd.ts';
import { UserError } from '../values/user_error.ts';
import { type CommonOptions, readCommand } from './command.ts';
import { describeRunning, signInLink, welcome } from './welcome.ts';

interface InitCommandOptions extends CommonOptions {
  yes?: boolean;
  name?: string;
  code?: string;
  url?: string;
  database?: string;
  config?: string;
  systemd?: boolean;
  compose?: boolean;
  onlyDatabase?: boolean;
}

const DEFAULT_NAME = 'My company';
const DEFAULT_CODE = 'a0gas';
const DEFAULT_URL = 'http://127.0.0.1:8080';

export function initCommand(): Command {
  return readCommand(
    'init',
    'set up an installation on this machine: settings file with new secrets, configuration of nats-server, database, logins, first organization; run again, it adds what is missing',
    'init --name "Gas del Valle" --url https://tanks.example.com --database local',
  )
    .option('--yes', 'ask nothing; use the options and the defaults')
    .option('--name <name>', `name of the first organization (default: "${DEFAULT_NAME}")`)
    .option(
      '--code <code>',
      `its code, which begins with its slot, such as a0 (default: from --name, or ${DEFAULT_CODE})`,
    )
    .option('--url <url>', `address under which people open the console (default: ${DEFAULT_URL})`)
    .addOption(
      new Option(
        '--database <where>',
        'local: the PostgreSQL of this machine, over its socket; start: `tankwatch up` starts one; or an address, such as ' +
          'postgres://postgres:password@host/postgres (default: local if it can be used, else start)',
      ),
    )
    .option(
      '--config <file>',
      'the settings file (default: /etc/tankwatch/tankwatch.env for root, ~/.config/tankwatch/tankwatch.env for others)',
    )
    .addOption(
      new Option('--systemd', 'also install and start a systemd unit that runs `tankwatch up`, as root').conflicts(
        'compose',
      ),
    )
    .option('--compose', 'instead, write .env and compose.yaml for docker compose into the current folder')
    .option(
      '--only-database',
      'write no file; create tables, logins and the organization with the addresses of the environment, as in a container',
    )
    .action(init);
}

async function init(options: InitCommandOptions): Promise<void> {
  const paths = installPathsFor(process.env, process.getuid?.() === 0, options.config);
  if (options.systemd) await assertCanInstallUnit(paths);
  const answers = await askQuestions(options);
  const say = (line: string): void => {
    if (!options.json) console.error(line);
  };
  const request = {
    paths,
    environment: process.env,
    ...answers,
    actor: readOperatorName(process.env),
    onStatus: say,
  };
  if (options.compose) return printLists(options, await writeCompose(process.cwd(), answers));
  if (options.onlyDatabase) return printLists(options, await initializeDatabase(process.env, request));
  const report = await initialize(request);
  if (options.systemd) report.done.push(...(await installUnit(paths, report.settings)));
  const result = {
    settings_file: paths.settingsFile,
    organization: answers.organization.code,
    done: report.done,
    unchanged: report.unchanged,
    not_done: [...report.notDone, ...(await listOpenSteps(options, report, paths))],
  };
  printLists(options, result);
  if (options.json) return;
  if (options.systemd) {
    const settings = { ...report.settings, TANKWATCH_CONFIG: paths.settingsFile };
    console.log(welcome(describeRunning(settings, await signInLink(settings)), undefined, paths.settingsFile));
  } else {
    const config = options.config === undefined ? '' : ` --config ${paths.settingsFile}`;
    if (await isFreePort(Number(report.settings['API_PORT']))) console.log(`\nNext: ${commandName()} up${config}`);
  }
}

interface Answers {
  organization: { code: string; name: string; isGiven: boolean };
  url: string | undefined;
  database: DatabaseChoice | undefined;
}

/** Asks at most three questions, each with a default. Values that are given as options are not asked for. */
async function askQuestions(options: InitCommandOptions): Promise<Answers> {
  const isInteractive = !options.yes && !options.json && process.stdin.isTTY;
  const prompt = isInteractive ? createInterface({ input: process.stdin, output: process.stderr }) : undefined;
  const question = async (
    given: string | undefined,
    text: string,
    fallback: () => Promise<string>,
  ): Promise<string> => {
    if (given !== undefined || prompt === undefined) return given ?? '';
    const usual = await fallback();
    return (await prompt.question(`${text} [${usual}]: `)).trim() || usual;
  };
  try {
    const name = await question(options.name, 'Name of your company', async () => DEFAULT_NAME);
    const url = await question(options.url, 'Address of the console', async () => DEFAULT_URL);
    const database = await question(
      options.database,
      'PostgreSQL: "local" (the one of this machine), "start" (start one for Tankwatch), or an address',
      async () => ((await hasLocalServer(process.env)) ? 'local' : 'start'),
    );
    return {
      organization: {
        name: name || DEFAULT_NAME,
        code: chooseCode(options.code || undefined, name),
        isGiven: options.code !== undefined || !['', DEFAULT_NAME].includes(name),
      },
      url: url === '' || url === DEFAULT_URL ? undefined : checkUrl(url),
      database: database === '' ? undefined : checkDatabase(database),
    };
  } finally {
    prompt?.close();
  }
}

function chooseCode(given: string | undefined, name: string): string {
  const code = given ?? (name === '' || name === DEFAULT_NAME ? DEFAULT_CODE : codeFromName('a0', name));
  if (!/^[a-z0-9]{3,16}$/.test(code))
    throw new UserError('--code must be 3 to 16 lower-case letters and digits, such as a0gas.');
  return code;
}

function checkUrl(url: string): string {
  if (!/^https?:\/\/[^\s/]+$/.test(url.replace(/\/+$/, '')) || !URL.canParse(url))
    throw new UserError(`--url must be an address such as https://tanks.example.com, not "${url}".`);
  return url.replace(/\/+$/, '');
}

export function checkDatabase(text: string): DatabaseChoice {
  if (text === 'local' || text === 'start') return text;
  if (isAddress(text)) return text;
  // The text may hold a password, so it is not repeated.
  throw new UserError(
    '--database must be local, start, or an address such as postgres://postgres:password@host/postgres. ' +
      'In the password, write # as %23, / as %2F, ? as %3F and @ as %40.',
  );
}

const isAddress = (text: string): text is `postgres${string}` => /^postgres(ql)?:\/\//.test(text) && URL.canParse(text);

interface Lists {
  done: string[];
  unchanged: string[];
  not_done?: string[];
}

function printLists(options: CommonOptions, lists: Lists): void {
  const { done, unchanged, not_done = [] } = lists;
  const list = (title: string, lines: readonly string[]): string =>
    lines.length === 0 ? '' : `\n${title}:\n${lines.map((line) => `  ${line}\n`).join('')}`;
  const text = `${list('Done', done)}${list('Unchanged', unchanged)}${list('Not done', not_done)}`.trim();
  console.log(options.json ? JSON.stringify(lists) : text);
}

async function listOpenSteps(
  { systemd }: InitCommandOptions,
  { settings, done }: InitReport,
  { settingsFile }: InstallPaths,
): Promise<string[]> {
  const isPublic = settings['PUBLIC_URL']?.startsWith('https:');
  const hasProxy = isPublic && !(await isFreePort(443));
  const isRunning = !(await isFreePort(Number(settings['API_PORT'])));
  const started = isRunning
    ? [`tankwatch is running${done.length === 0 ? '' : '; restart it, so that it reads the changed settings'}`]
    : ['nothing was started, and nothing listens yet'];
  return [
    ...(systemd ? [] : started),
    ...(hasProxy
      ? []
      : [
          isPublic
            ? `a proxy with TLS for ${settings['PUBLIC_URL']}: docs/operators/guide.md, "Install", steps 3 and 4; until then, only this machine can connect`
            : 'access from other machines: put a proxy with TLS in front, and set PUBLIC_URL; until then, only this machine can connect',
        ]),
    ...(settings['SMTP_URL'] ? [] : [`mails: set SMTP_URL and MAIL_FROM in ${settingsFile}`]),
    ...(systemd ? [] : ['backups: run `tankwatch backup` every night, and copy the file to another machine']),
  ];
}

/** The command with which an operator can run this program. */
const commandName = (): string =>
  process.cwd() === PROGRAM_FOLDER ? 'bin/tankwatch' : `${PROGRAM_FOLDER}/bin/tankwatch`;
