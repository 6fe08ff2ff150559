import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';

export interface UserIds {
  uid?: number;
  gid?: number;
}

/** Another user may not be able to enter the current folder, and initdb then does not find the program postgres. */
export const asUser = (user: UserIds): UserIds & { cwd?: string } =>
  user.uid === undefined ? user : { ...user, cwd: '/' };

export interface ServerProcess {
  child: ChildProcess;
  /** The last lines that it wrote to standard error. */
  log: () => string;
}

const SETPRIV = '/usr/bin/setpriv';

/** Whether setpriv works. A hardened unit of systemd forbids it; there, systemd ends what a dead process leaves behind. */
const maySetDeathSignal = (): boolean => spawnSync(SETPRIV, ['--pdeathsig', 'INT', 'true']).status === 0;

/**
 * Starts a server as a child. A detached server does not get Ctrl-C, and nothing would stop it after this process was
 * killed, so the kernel sends it SIGINT when this process has ended.
 */
export function spawnServer(
  program: string,
  args: readonly string[],
  {
    isDetached,
    user = {},
    environment,
  }: { isDetached: boolean; user?: UserIds; environment?: Readonly<Record<string, string>> },
): ServerProcess {
  const isBound = isDetached && maySetDeathSignal();
  const [command, ...words] = isBound ? [SETPRIV, '--pdeathsig', 'INT', program, ...args] : [program, ...args];
  const child = spawn(command, words, {
    ...asUser(user),
    detached: isDetached,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(environment && { env: { PATH: process.env['PATH'], ...environment } }),
  });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-4_000);
  });
  return { child, log: () => log };
}

export async function stopProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill(signal);
  await closed;
}

/** Stops a process and its children with SIGSTOP. The result continues them. */
export async function hangProcesses(pid: number): Promise<() => void> {
  process.kill(pid, 'SIGSTOP'); // first, so that it starts no more children
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean).map(Number);
  const signal = (name: NodeJS.Signals): void => {
    for (const id of [...children, pid]) process.kill(id, name);
  };
  signal('SIGSTOP');
  return () => signal('SIGCONT');
}
