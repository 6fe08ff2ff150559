import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { settingLine } from '../settings/settings_file.ts';
import { deriveApiSecretsKey } from '../values/api_secrets_key.ts';
import { UserError } from '../values/user_error.ts';
import { PROGRAM_FOLDER } from './install_paths.ts';
import { newPassword, newSecret } from './new_settings.ts';
import { writeWholeFile } from './write_file.ts';

interface ComposeOptions {
  organization: { code: string; name: string };
  url: string | undefined;
}

export interface ComposeReport {
  done: string[];
  unchanged: string[];
  not_done: string[];
}

/** Writes .env with new secrets, and compose.yaml if the folder has none. A value that .env has is never replaced. */
export async function writeCompose(folder: string, { organization, url }: ComposeOptions): Promise<ComposeReport> {
  const template = await readFile(join(PROGRAM_FOLDER, '.env.example'), 'utf8').catch(() => {
    throw new UserError(
      `${PROGRAM_FOLDER} has no .env.example; --compose needs a checkout, because docker builds the image from it.`,
    );
  });
  const [envFile, composeFile] = [join(folder, '.env'), join(folder, 'compose.yaml')];
  const report: ComposeReport = { done: [], unchanged: [], not_done: [] };
  const before = existsSync(envFile) ? await readFile(envFile, 'utf8') : template;
  const after = fillEnvironment(before, {
    COMPOSE_PROFILES: 'init',
    ORGANIZATION_CODE: organization.code,
    ORGANIZATION_NAME: organization.name,
    PUBLIC_URL: url ?? 'http://127.0.0.1:8080',
  });
  if (existsSync(envFile) && after === before) report.unchanged.push(`${envFile} has all values`);
  else {
    await writeWholeFile(envFile, after, 0o600);
    report.done.push(`wrote ${envFile} with new passwords and secrets; only you can read it`);
  }
  if (existsSync(composeFile)) report.unchanged.push(`${composeFile} exists`);
  else {
    await writeWholeFile(composeFile, await composeText(), 0o644);
    report.done.push(`wrote ${composeFile}`);
  }
  report.not_done.push('nothing was started; next: docker compose up --build --detach');
  return report;
}

/** Fills settings that have no value: with the given value, or with a new secret. Other lines do not change. */
export function fillEnvironment(text: string, values: Readonly<Record<string, string>>): string {
  const filled = fillValues(text, values);
  const secretsKey = /^SECRETS_KEY=([^\s'"]+)[ \t]*$/m.exec(filled)?.[1];
  return secretsKey === undefined ? filled : fillValues(filled, { API_SECRETS_KEY: deriveApiSecretsKey(secretsKey) });
}

function fillValues(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/^([A-Z_]+)=[ \t]*$/gm, (line, name: string) => {
    const value = values[name] ?? secretFor(name);
    return value === undefined ? line : settingLine(name, value).trimEnd();
  });
}

function secretFor(name: string): string | undefined {
  if (name.endsWith('_PASSWORD')) return newPassword();
  return /_SECRET$|^SECRETS_KEY$/.test(name) ? newSecret() : undefined;
}

/** The text of compose.yaml with absolute paths, because the program is in another folder. */
const composeText = async (): Promise<string> =>
  (await readFile(join(PROGRAM_FOLDER, 'compose.yaml'), 'utf8'))
    .replaceAll('./deploy/', `${PROGRAM_FOLDER}/deploy/`)
    .replace('    build: .\n', `    build: ${PROGRAM_FOLDER}\n`);
