import { sandboxTask, type TaskOf } from '../sandbox/sandbox.ts';

export const validateValue: TaskOf<typeof import('./validator.ts').validateValue> = sandboxTask(
  'validateValue',
  { gathers: true },
);
export const validateSchema: TaskOf<typeof import('./validator.ts').validateSchema> =
  sandboxTask('validateSchema');
