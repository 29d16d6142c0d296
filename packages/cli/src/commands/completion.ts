import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { print } from '../terminal/output.ts';

/** The words that may follow the words of a command: `records upload` → its options. */
interface Choices {
  words: readonly string[];
  next: readonly string[];
}

const shells: Record<string, (name: string, choices: readonly Choices[]) => string> = {
  bash: (name, choices) => `_${functionName(name)}() {
  local words="\${COMP_WORDS[*]:1:COMP_CWORD-1}" choices=""
  case "$words " in
${cases(choices, (next) => `choices="${next.join(' ')}"`)}
  esac
  COMPREPLY=($(compgen -W "$choices" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _${functionName(name)} ${name}`,
  zsh: (name, choices) => `#compdef ${name}
_${functionName(name)}() {
  local words_before="\${words[2,CURRENT-1]}"
  case "$words_before " in
${cases(choices, (next) => `compadd -- ${next.join(' ')}`)}
  esac
}
compdef _${functionName(name)} ${name}`,
  fish: (name, choices) =>
    choices
      .map(({ words, next }) => {
        const conditions = words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
        const condition = words.length === 0 ? '__fish_use_subcommand' : conditions;
        return `complete -c ${name} -n '${condition}' -a '${next.join(' ')}'`;
      })
      .join('\n'),
};

/** The longest first, because the first pattern that matches counts. */
const cases = (choices: readonly Choices[], then: (next: readonly string[]) => string) =>
  choices
    .toSorted((one, other) => other.words.length - one.words.length)
    .map(({ words, next }) => `    ${words.length === 0 ? '*' : `"${words.join(' ')} "*`}) ${then(next)} ;;`)
    .join('\n');

const functionName = (name: string) => name.replaceAll('-', '_');

export const addCompletion = (program: Command) =>
  program
    .command('completion')
    .description('Print a script that completes commands in a shell')
    .argument('<shell>', Object.keys(shells).join(', '))
    .action((shell: string) => {
      const script = shells[shell]?.(program.name(), choicesOf(program));
      if (!script) throw new CliError(`${shell} is none of ${Object.keys(shells).join(', ')}`);
      print(script);
    });

function choicesOf(command: Command, words: readonly string[] = []): Choices[] {
  const flags = command.options.flatMap(({ long }) => long ?? []);
  const options = words.length === 0 ? flags : [...flags, '--json', '--profile'];
  const names = command.commands.map((each) => each.name());
  const inside = command.commands.flatMap((each) => choicesOf(each, [...words, each.name()]));
  return [{ words, next: [...names, ...options, '--help'] }, ...inside];
}
