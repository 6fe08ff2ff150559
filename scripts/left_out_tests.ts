import { execFileSync } from 'node:child_process';
import { findProgram } from '../engines/programs.ts';
import { findLeftOut } from '../test/support/whole_tests.ts';

/** On main, this file names the last commit on which all tests ran and passed. Changes are compared with it. */
const LAST_FULL_RUN = '.ci/last_full_run';
const LOCK_FILE = 'package-lock.json';

/**
 * Finds for `.ci/run` the test files that need not run in full, because nothing that they cover has changed. Without a commit to
 * compare with, everything runs: without git, in a clone of one commit, and with CI_ALL=1, which the nightly run and a release set.
 */
export function compareChanges(cwd: string, environment: NodeJS.ProcessEnv): { leftOut: string[]; compared: string } {
  const git = (...args: string[]): string | undefined => {
    try {
      const stdio = ['ignore', 'pipe', 'ignore'] as const;
      return execFileSync(findProgram('git'), args, { cwd, encoding: 'utf8', stdio: [...stdio] }).trim();
    } catch {
      return undefined;
    }
  };
  const commitOf = (name: string): string | undefined => git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);

  /** Returns the commit CI_BASE, the commit where the branch left main, or, on main, the last one on which all tests ran. */
  function findBase(): string | undefined {
    const { CI_BASE: baseName = '' } = environment;
    if (baseName !== '') return commitOf(baseName);
    const fork = git('merge-base', 'HEAD', 'origin/main');
    if (fork !== undefined && fork !== commitOf('HEAD')) return fork;
    const full = git('show', `HEAD:${LAST_FULL_RUN}`);
    return full !== undefined && git('merge-base', '--is-ancestor', full, 'HEAD') !== undefined
      ? commitOf(full)
      : undefined;
  }

  /** Lists changed files, also uncommitted ones. The lock file counts only if packages change: a release changes its own version in it. */
  function findChanged(base: string): string[] | undefined {
    const changed = git('diff', '--name-only', '--no-renames', base);
    const added = git('ls-files', '--others', '--exclude-standard');
    if (changed === undefined || added === undefined) return undefined;
    const hasOtherPackages = /^[-+] +"(resolved|integrity)":/m.test(git('diff', base, '--', LOCK_FILE) ?? '');
    return `${changed}\n${added}`.split('\n').filter((path) => path !== '' && (path !== LOCK_FILE || hasOtherPackages));
  }

  const base = environment['CI_ALL'] === '1' ? undefined : findBase();
  const changed = base === undefined ? undefined : findChanged(base);
  if (base === undefined || changed === undefined)
    return { leftOut: [], compared: 'all tests run: there is no commit to compare with' };
  const leftOut = findLeftOut(changed);
  const consequence =
    leftOut.length === 0
      ? 'all tests run: the changes concern each file that starts whole installations'
      : `only the quick tests of these files run, because nothing that they cover has changed: ${leftOut.join(', ')}`;
  return { leftOut, compared: `files that differ from ${base.slice(0, 12)}: ${changed.length}\n${consequence}` };
}

if (import.meta.main) {
  const { leftOut, compared } = compareChanges(process.cwd(), process.env);
  console.error(compared);
  console.log(leftOut.join(' '));
}
