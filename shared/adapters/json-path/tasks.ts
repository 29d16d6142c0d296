import { sandboxTask, type TaskOf } from '../sandbox/sandbox.ts';

export const queryJson: TaskOf<typeof import('./query.ts').queryJson> = sandboxTask('queryJson');
