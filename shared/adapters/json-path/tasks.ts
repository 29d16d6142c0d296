import { sandboxTask, type TaskOf } from '../sandbox/sandbox.ts';

export const queryJsonTask: TaskOf<typeof import('./query.ts').queryJson> = sandboxTask('queryJson');
