import { sandboxTask, type TaskOf } from '../sandbox/sandbox.ts';

export const queryJsonTask: TaskOf<typeof import('./json-path.ts').queryJson> = sandboxTask('queryJson');
export const readYamlTask: TaskOf<typeof import('./yaml.ts').readYaml> = sandboxTask('readYaml');
export const writeYamlTask: TaskOf<typeof import('./yaml.ts').writeYaml> = sandboxTask('writeYaml');
