import { sandboxTask, type TaskOf } from '../sandbox/sandbox.ts';

export const readYamlTask: TaskOf<typeof import('./yaml.ts').readYaml> = sandboxTask('readYaml');
export const writeYamlTask: TaskOf<typeof import('./yaml.ts').writeYaml> = sandboxTask('writeYaml');
