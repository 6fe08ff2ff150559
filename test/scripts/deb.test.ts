import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { givenFolder } from '../support/folder.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Builds a package of this version with the real scripts, but without the program and Node, and returns the folder of its scripts. */
async function givenScripts(version: string): Promise<string> {
  const folder = await givenFolder();
  const tarball = join(folder, `tankwatch-${version}.tar.gz`);
  const node = join(folder, 'node');
  writeFileSync(node, `#!/bin/sh\nexec ${process.execPath} "$@"\n`, { mode: 0o755 });
  execFileSync('tar', ['-czf', tarball, '--transform=s,^,tankwatch/,', 'LICENSE', 'deploy', 'bin'], { cwd: ROOT });
  const env = { ...process.env, DEB_COMPRESSION: 'none' };
  const made = execFileSync('scripts/deb.sh', [tarball, folder, node], { cwd: ROOT, env, encoding: 'utf8' });
  execFileSync('dpkg-deb', ['--control', made.trim(), join(folder, 'scripts')]);
  return join(folder, 'scripts');
}

test.runIf(existsSync('/usr/bin/dpkg-deb'))(
  'a downgrade while the service is stopped, as after a restore, says how to start it',
  async () => {
    const scripts = await givenScripts('0.4.1');
    // These programs keep the script from asking a service of this machine and from creating a user.
    const programs = join(scripts, 'programs');
    mkdirSync(programs);
    writeFileSync(join(programs, 'systemctl'), '#!/bin/sh\n[ "$1" != is-active ]\n', { mode: 0o755 });
    writeFileSync(join(programs, 'getent'), '#!/bin/sh\n', { mode: 0o755 });
    const configure = (from: string): string =>
      execFileSync('sh', [join(scripts, 'postinst'), 'configure', from], {
        env: { ...process.env, PATH: `${programs}:${process.env['PATH']}` },
        encoding: 'utf8',
      });
    expect(configure('0.4.2')).toBe('To start this release: systemctl start tankwatch\n');
    expect(configure('0.4.10')).toBe('To start this release: systemctl start tankwatch\n');
    expect(configure('0.4.0')).not.toContain('systemctl start');
    expect(configure('')).toBe('To set up this machine: tankwatch init --systemd\n');
  },
);
