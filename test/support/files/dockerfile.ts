import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';

export interface Instruction {
  name: string;
  /** Such as `from` of COPY. */
  flags: Record<string, string>;
  text: string;
}

/** The instructions of a Dockerfile, by stage: the name of each, or its index. */
export function dockerfileStages(dockerfile: string): Map<string, Instruction[]> {
  const lines = dockerfile
    .split('\n')
    .filter((line) => !/^\s*(?:#|$)/.test(line))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  const stages = new Map<string, Instruction[]>();
  let current: Instruction[] = [];
  for (const line of lines) {
    const instruction = instructionOf(line);
    if (instruction.name === 'FROM') {
      current = [];
      stages.set(/ AS (\S+)$/.exec(line)?.[1] ?? String(stages.size), current);
    }
    current.push(instruction);
  }
  return stages;
}

function instructionOf(line: string): Instruction {
  const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
  const [options = ''] = /^(?:--[a-z-]+=\S+\s+)*/.exec(rest) ?? [];
  const flags = [...options.matchAll(/--([a-z-]+)=(\S+)/g)].map(([, key, value]) => [key, value]);
  return { name, flags: Object.fromEntries(flags), text: rest.slice(options.length).trim() };
}

/** The command of the exec form, `["node", …]`. */
export const execCommand = ({ text }: Instruction): string[] => JSON.parse(text.replace(/^CMD\s+/, ''));

export const dockerfileEnvironment = (instructions: readonly Instruction[]): Record<string, string> =>
  Object.fromEntries(
    instructions
      .filter(({ name }) => name === 'ENV')
      .flatMap(({ text }) => text.split(/\s+/).map((pair) => pair.split('=') as [string, string])),
  );

/** Whether `.dockerignore` keeps a path out of the context: the last pattern that matches it or a folder of it decides. */
export function ignoredBy(dockerignore: string): (path: string) => boolean {
  const rules = dockerignore.split('\n').filter((line) => line && !line.startsWith('#'));
  const patterns = rules.map((rule) => ({
    keeps: rule.startsWith('!'),
    matches: matcherOf(rule.replace(/^!/, '')),
  }));
  return (path) => {
    const last = patterns.findLast(({ matches }) => withFolders(path).some((each) => matches.test(each)));
    return last !== undefined && !last.keeps;
  };
}

/** `*` also matches names that begin with a dot. */
const matcherOf = (glob: string) =>
  new RegExp(
    `^${glob
      .replaceAll('.', '\\.')
      .replaceAll('**/', '(?:.+/)?')
      .replaceAll(/(?<!\))\*/g, '[^/]*')}$`,
  );

const withFolders = (path: string): string[] => (path === '.' ? [] : [path, ...withFolders(dirname(path))]);

export const readFromRoot = (path: string) =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
