import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readDeviceSecrets, readMigrateConfig } from '../../src/settings/command_settings.ts';
import { readGatewayConfig } from '../../src/settings/gateway_settings.ts';
import { findSettingsFile, parseSettings, settingLine, withSettingsFile } from '../../src/settings/settings_file.ts';
import { runCommand } from '../support/cli_in_process.ts';

function givenFile(text: string, name = 'tankwatch.env'): string {
  const folder = mkdtempSync(join(tmpdir(), 'tankwatch-settings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

test('a value is the rest of its line, so a password may contain a #, a quote or an equals sign', () => {
  const text = '# a comment\n\nexport A=1\nB = no\n';
  expect(() => parseSettings(text, 'FILE')).toThrow('line 4 of FILE must be like NAME=value');
  const file = `A=postgres://u:a#b=c'@h/db\nB="Gas del Valle <a@example.com>"\r\nC='x y'\nD=\n  # comment\n`;
  expect(parseSettings(file, 'FILE')).toEqual({
    A: "postgres://u:a#b=c'@h/db",
    B: 'Gas del Valle <a@example.com>',
    C: 'x y',
    D: '',
  });
  for (const value of ['postgres://u:p@h:1/db?a=b', 'Gas del Valle <a@example.com>', 'a#b', ''])
    expect(parseSettings(settingLine('NAME', value), 'FILE')).toEqual({ NAME: value });
});

test('a variable of the environment overrides the file, also a variable that names a file', () => {
  const file = givenFile('API_PORT=1\nAPI_DATABASE_URL=postgres://file/x\nDEVICE_SECRET=of-the-file\nEVENTS=on\n');
  const merged = withSettingsFile({ API_PORT: '2', DEVICE_SECRET_FILE: '/run/secret', EVENTS: '' }, file);
  expect(merged).toMatchObject({ API_PORT: '2', API_DATABASE_URL: 'postgres://file/x', TANKWATCH_CONFIG: file });
  expect(merged).not.toHaveProperty('DEVICE_SECRET');
});

test('DATABASE_URL and NATS_URL of the environment replace all such addresses of the file', () => {
  const file = givenFile('MIGRATE_DATABASE_URL=postgres://file/x\nGATEWAY_NATS_URL=nats://file\n');
  const environment = { DATABASE_URL: 'postgres://mine/y', NATS_URL: 'nats://mine' };
  const merged = withSettingsFile(environment, file);
  expect(readMigrateConfig(merged).databaseUrl).toBe('postgres://mine/y');
  expect(merged).not.toHaveProperty('GATEWAY_NATS_URL');
});

test('--config is used before TANKWATCH_CONFIG, and both before the file of the user', () => {
  const own = givenFile('A=1\n', 'tankwatch/tankwatch.env');
  const XDG_CONFIG_HOME = dirname(dirname(own));
  expect(findSettingsFile({ XDG_CONFIG_HOME })).toEqual({ path: own, isReadable: true });
  expect(findSettingsFile({ XDG_CONFIG_HOME, TANKWATCH_CONFIG: '/one' })?.path).toBe('/one');
  expect(findSettingsFile({ XDG_CONFIG_HOME, TANKWATCH_CONFIG: '/one' }, '/two')?.path).toBe('/two');
  expect(findSettingsFile({ HOME: '/nowhere' })).toBeUndefined();
  expect(findSettingsFile({})).toBeUndefined();
});

test('a command reads the file that --config names, and reports if it is missing', async () => {
  const file = givenFile('API_PORT=eighty\n');
  const checked = await runCommand(['config', 'check', 'api', '--config', file], {});
  expect(checked.stderr).toContain('API_PORT must be a whole number');
  const missing = await runCommand(['organizations', 'list', '--config', '/nowhere/x.env'], {});
  expect(missing).toMatchObject({
    code: 1,
    stderr:
      'tankwatch: invalid configuration:\n  the settings file /nowhere/x.env does not exist; create it with: tankwatch init --config /nowhere/x.env\n',
  });
});

test('a command that lacks DEVICE_SECRET says where the value of the gateway is, and never to generate one', () => {
  const problemOf = (environment: Record<string, string>): string => {
    try {
      readDeviceSecrets(environment);
    } catch (error) {
      return String(error);
    }
    throw new Error('no problem was found');
  };
  const file = givenFile('API_PORT=1\n', 'tankwatch/tankwatch.env');
  const withFile = problemOf({ TANKWATCH_CONFIG: file });
  expect(withFile).toContain(`DEVICE_SECRET is neither set here nor in ${file}; add the gateway's value to the file`);
  const without = problemOf({});
  expect(without).toContain("DEVICE_SECRET is not set here; use the gateway's value");
  for (const text of [withFile, without]) expect(text).not.toMatch(/openssl|generate|at least 32/);
  // Only a role without a settings file is told how to generate a secret, because it may be the first that needs one.
  const gateway = { DATABASE_URL: 'postgres://h/x' };
  expect(() => readGatewayConfig(gateway)).toThrow(/DEVICE_SECRET must be at least 32 characters/);
  expect(() => readGatewayConfig({ ...gateway, TANKWATCH_CONFIG: file })).toThrow(/is neither set here nor in/);
});

// Root reads every file.
test.skipIf(process.getuid?.() === 0)('the message about a file that the user cannot read says to use sudo', () => {
  const file = givenFile(`DEVICE_SECRET=${'s'.repeat(32)}\n`, 'tankwatch/tankwatch.env');
  chmodSync(file, 0o000);
  expect(() => readDeviceSecrets({ XDG_CONFIG_HOME: dirname(dirname(file)) })).toThrow(
    `DEVICE_SECRET is not set here; the gateway's value is in ${file}, which your user cannot read: use sudo`,
  );
});
