import { Argument, Command } from 'commander';
import { findSharedPorts } from '../settings/listeners.ts';
import {
  ALL_ROLES,
  findSettingProblems,
  findUnknownSettings,
  SETTINGS_USERS,
  type SettingsUser,
} from '../settings/setting_list.ts';
import { type CommonOptions, readCommand } from './command.ts';

export function configCommand(): Command {
  return new Command('config').description('check the settings').addCommand(checkCommand());
}

function checkCommand(): Command {
  return readCommand(
    'check',
    'report everything that is wrong with the settings of a role, before it starts; it opens no connection. Without a role: all settings that "tankwatch all" needs',
    'config check api',
  )
    .addArgument(new Argument('[roles...]', 'whose settings to check').choices(SETTINGS_USERS))
    .action((chosen: SettingsUser[], options: CommonOptions) => {
      const users = chosen.length > 0 ? chosen : ALL_ROLES;
      const problems = findSettingProblems(process.env, users);
      // Ports are compared only if the settings are valid, and only without a role, because a role runs in its own process.
      if (chosen.length === 0 && problems.length === 0) {
        for (const problem of findSharedPorts(process.env)) problems.push({ problem, users: [...ALL_ROLES] });
      }
      const warnings = findUnknownSettings(process.env);
      if (options.json) {
        console.log(JSON.stringify({ valid: problems.length === 0, checked: users, problems, warnings }));
      } else {
        for (const { problem, users: itsUsers } of problems) console.error(`WRONG ${problem} (${itsUsers.join(', ')})`);
        for (const warning of warnings) console.error(`warn  ${warning}`);
        if (problems.length === 0) console.log(`the settings are valid: ${users.join(', ')}`);
      }
      process.exitCode = problems.length === 0 ? 0 : 1;
    });
}
