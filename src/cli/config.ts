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
    .action((given: SettingsUser[], options: CommonOptions) => {
      const users = given.length > 0 ? given : ALL_ROLES;
      const problems = findSettingProblems(process.env, users);
      // A shared port can be found only if the settings are valid.
      if (given.length === 0 && problems.length === 0) {
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
