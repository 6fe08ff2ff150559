/** The texts that a release changes. */
export interface ReleaseFiles {
  changelog: string;
  package: string;
  client: string;
  clientReadme: string;
  python: string;
  installGuide: string;
  lock: string;
}

export interface ReleasePlan {
  version: string;
  previous: string;
  /** What the changelog says about this version. */
  notes: string;
  files: ReleaseFiles;
}

/** The reason why a release must not be made. */
export class ReleaseRefusedError extends Error {}

/** Decides the next version and the new text of each file. Throws ReleaseRefusedError when something is missing. */
export function planRelease(files: ReleaseFiles, now: Date): ReleasePlan {
  const [heading, version = ''] = /^## (\d+\.\d+\.\d+) \(unreleased\)$/m.exec(files.changelog) ?? [];
  if (heading === undefined)
    throw new ReleaseRefusedError('CHANGELOG.md has no section with a heading such as "## 0.2.0 (unreleased)"');
  const firstHeading = /^## .*$/m.exec(files.changelog)?.[0];
  if (firstHeading !== heading) throw new ReleaseRefusedError(`"${heading}" must be the first section of CHANGELOG.md`);
  const notes = sectionAfter(files.changelog, heading);
  if (!/^- \S/m.test(notes)) throw new ReleaseRefusedError(`the section "${heading}" of CHANGELOG.md lists no change`);
  const previous = versionIn(files.package);
  if (!isNewer(version, previous))
    throw new ReleaseRefusedError(`${version} is not newer than the version ${previous}`);

  const setVersion = (text: string): string =>
    text.replace(`"version": "${versionIn(text)}"`, `"version": "${version}"`);
  return {
    version,
    previous,
    notes,
    files: {
      changelog: files.changelog.replace(heading, `## ${version} (${now.toISOString().slice(0, 10)})`),
      package: setVersion(files.package),
      client: setVersion(files.client),
      clientReadme: files.clientReadme.replaceAll(
        `tankwatch-client-${versionIn(files.client)}.tgz`,
        `tankwatch-client-${version}.tgz`,
      ),
      python: files.python.replace(/^version = "[^"]+"$/m, `version = "${version}"`),
      installGuide: files.installGuide.replaceAll(`tankwatch-${previous}`, `tankwatch-${version}`),
      lock: setLockVersions(files.lock, version),
    },
  };
}

/** The lock file names the version of the root package twice and that of the client once. */
function setLockVersions(lock: string, version: string): string {
  const set = (text: string, pattern: RegExp): string => {
    if (!pattern.test(text)) throw new ReleaseRefusedError(`package-lock.json has no version that matches ${pattern}`);
    return text.replace(pattern, `$1"version": "${version}"`);
  };
  const root = set(lock, /^(\{\n {2}"name": "tankwatch",\n {2})"version": "[^"]+"/);
  const entry = set(root, /(\n {4}"": \{\n {6}"name": "tankwatch",\n {6})"version": "[^"]+"/);
  return set(entry, /(\n {4}"packages\/client": \{\n {6}"name": "@tankwatch\/client",\n {6})"version": "[^"]+"/);
}

function sectionAfter(changelog: string, heading: string): string {
  const rest = changelog.slice(changelog.indexOf(heading) + heading.length);
  return (rest.split(/^## /m)[0] ?? '').trim();
}

function versionIn(manifest: string): string {
  const version = /"version": "(\d+\.\d+\.\d+)"/.exec(manifest)?.[1];
  if (version === undefined) throw new ReleaseRefusedError('a package.json has no version such as 0.1.0');
  return version;
}

function isNewer(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => text.split('.').map(Number));
  const at = a?.findIndex((part, index) => part !== b?.[index]) ?? -1;
  return at >= 0 && (a?.[at] ?? 0) > (b?.[at] ?? 0);
}
