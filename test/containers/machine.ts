import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** The readings that a machine stored can be many megabytes. */
export const docker = (...args: string[]): string =>
  execFileSync('docker', args, { encoding: 'utf8', maxBuffer: 2 ** 28 });

/** Builds an image with this Debian, systemd, a user `maria`, and these packages. Returns its name. */
export function buildMachineImage(debian: 'debian:12' | 'debian:13', packages: readonly string[]): string {
  const install = ['systemd', 'systemd-sysv', 'dbus', 'ca-certificates', ...packages].join(' ');
  const input = `FROM ${debian}
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ${install} && \\
  useradd --create-home --shell /bin/bash maria
STOPSIGNAL SIGRTMIN+3
CMD ["/sbin/init"]
`;
  return execFileSync('docker', ['build', '--quiet', '-'], { input, encoding: 'utf8' }).trim();
}

/** A container in which systemd runs. */
export class Machine {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  async start(image: string, options: readonly string[]): Promise<void> {
    this.remove();
    const systemd = ['--privileged', '--cgroupns=private', '--tmpfs=/run', '--tmpfs=/run/lock'];
    // systemd mounts the credentials of a unit in a namespace of its own. A real machine shares mounts between namespaces.
    const init = ['sh', '-c', 'mount --make-rshared / && exec /sbin/init'];
    docker('run', '--detach', `--name=${this.name}`, ...systemd, ...options, image, ...init);
    await this.#untilRunning();
  }

  async restart(): Promise<void> {
    docker('restart', this.name);
    await this.#untilRunning();
  }

  /** The process id of the systemd of the container, as this machine sees it. */
  pid(): number {
    return Number(docker('inspect', '--format={{.State.Pid}}', this.name));
  }

  remove(): void {
    spawnSync('docker', ['rm', '--force', '--volumes', this.name], { stdio: 'ignore' });
  }

  /**
   * Runs a script. Its output goes to a file, because a service may keep a pipe open. This process does not block meanwhile,
   * because it may also be the mail server.
   */
  async run(script: string, { user = 'root', cwd = '/' } = {}): Promise<{ status: number | null; output: string }> {
    const file = `/tmp/printed-${user}`;
    const args = [`--user=${user}`, `--workdir=${cwd}`, this.name, 'bash', '-lc', `exec > ${file} 2>&1\n${script}`];
    const child = spawn('docker', ['exec', ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
    const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { status, output: docker('exec', this.name, 'cat', file) };
  }

  /** Leaves a script running, as in a second terminal, until its output matches. */
  leave(script: string, { user = 'root', cwd = '/' }, until: RegExp): Promise<string> {
    const args = ['exec', `--user=${user}`, `--workdir=${cwd}`, this.name, 'bash', '-lc', script];
    const child = spawn('docker', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    return new Promise((resolve, reject) => {
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        if (until.test(output)) resolve(output);
      });
      child.once('close', (code) => reject(new Error(`${script} ended with ${code}: ${output}`)));
    });
  }

  async #untilRunning(): Promise<void> {
    for (let second = 0; second < 120; second++) {
      const state = spawnSync('docker', ['exec', this.name, 'systemctl', 'is-system-running'], { encoding: 'utf8' });
      // A container cannot load kernel modules, for example, and its systemd then says "degraded".
      if (['running', 'degraded'].includes(state.stdout.trim())) return;
      await sleep(1_000);
    }
    throw new Error(`systemd is not up: ${docker('exec', this.name, 'systemctl', '--failed', '--no-pager')}`);
  }
}

export function check(title: string, isGood: boolean, detail = ''): void {
  console.log(`${isGood ? 'ok   ' : 'WRONG'} ${title}`);
  if (isGood) return;
  console.log(detail);
  process.exitCode = 1;
}
