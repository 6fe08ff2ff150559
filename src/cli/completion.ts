import { Argument, Command } from 'commander';

const SHELLS = ['bash', 'zsh'] as const;

/** The words that may follow the words typed so far: `tanks` -> `list show create --help`. */
function listNextWords(command: Command, typed = ''): [string, string][] {
  const subs = command.commands;
  const options = command.options.map(({ long }) => long ?? '').filter((word) => word !== '');
  const words = [...subs.map((sub) => sub.name()), ...options, '--help'].join(' ');
  return [[typed, words], ...subs.flatMap((sub) => listNextWords(sub, `${typed} ${sub.name()}`.trim()))];
}

/** The script contains all words, so that no process starts at each key press. Files are completed where no word fits. */
function scriptOf(program: Command, shell: (typeof SHELLS)[number]): string {
  const cases = listNextWords(program).map(([typed, words]) => `    '${typed}') words='${words}' ;;`);
  return `${shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''}_tankwatch() {
  local typed='' words='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; esac
    typed="\${typed:+$typed }$word"
  done
  case "$typed" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _tankwatch tankwatch
`;
}

export function completionCommand(): Command {
  return new Command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText('after', '\nExample:\n  source <(tankwatch completion bash)')
    .action((shell: (typeof SHELLS)[number], _options: object, command: Command) => {
      if (command.parent) process.stdout.write(scriptOf(command.parent, shell));
    });
}
